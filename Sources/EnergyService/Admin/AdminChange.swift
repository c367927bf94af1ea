package import FoundationEssentials

/// What an operator has done, for the log: who and which, never keys, names or places.
package struct AdminChange: Hashable, Sendable {
  /// The method of AdminService that did it.
  package let method: String
  package var clientID: UUID?
  package var venueID: UUID?
  /// What is otherwise now: an access, the names of fields; no names, places or keys. Empty where the method says it all.
  package let what: String

  package init(_ method: String, _ what: String = "", clientID: UUID? = nil, venueID: UUID? = nil) {
    self.method = method
    self.what = what
    self.clientID = clientID
    self.venueID = venueID
  }
}
