package import FoundationEssentials

/// What an operator has done, for the log: who and which, never keys, names or places.
package struct AdminChange: Hashable, Sendable {
  /// The method of AdminService that did it.
  package let method: String
  package var clientID: UUID?
  package var venueID: UUID?

  package init(_ method: String, clientID: UUID? = nil, venueID: UUID? = nil) {
    self.method = method
    self.clientID = clientID
    self.venueID = venueID
  }
}
