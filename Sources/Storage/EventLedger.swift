import EnergyModel
package import FoundationEssentials

/// The stored events, as the judge of submissions needs them. Used by one thread at a time.
package protocol EventLedger {
  /// Stores the event where its identity is new, and changes nothing otherwise.
  mutating func insert(_ offset: EventOffset, of submission: EventSubmission) throws(StoreError) -> IdentityVerdict

  /// What `insert` would say. Stores nothing.
  mutating func verdict(on offset: EventOffset, of submission: EventSubmission) throws(StoreError) -> IdentityVerdict

  /// Takes back the last `count` events that `insert` called new.
  mutating func removeNewest(_ count: Int) throws(StoreError)

  /// The sessions in memory.
  var sessions: SessionBook { get }

  /// What is stored of an owner that `sessions` does not know.
  mutating func storedSessions(of owner: EventOwner) throws(StoreError) -> StoredSessions

  /// A session that `sessions` does not know; `nil` where there is none.
  mutating func storedSession(_ id: UUID, of owner: EventOwner) throws(StoreError) -> LoadSession?
}

/// How an event compares with what is stored under its identity.
package enum IdentityVerdict: Hashable, Sendable {
  case new
  case sameContent
  case otherContent
}
