import EnergyModel
import FoundationEssentials
import Storage

/// The table of events as the judge's ledger. Used by the writer's thread only, within a transaction.
final class EventTable: EventLedger {
  let connection: Connection
  private let insertion: Statement
  private let lookup: Statement
  private let removal: Statement
  private let sessionTable: SessionTable
  let sessions: SessionBook
  private var parameters = EventParameters()
  /// The number of the next event; greater than every number in the table, and than those of events that are being
  /// erased. A transaction that fails leaves a gap.
  private var nextSequence: Int64

  init(_ connection: Connection, maximumSessionCount: Int) throws(StoreError) {
    self.connection = connection
    sessions = SessionBook(maximumCount: maximumSessionCount)
    insertion = try connection.prepare(EventRow.insertion)
    lookup = try connection.prepare(EventRow.lookup)
    removal = try connection.prepare("DELETE FROM events WHERE sequence >= ?")
    sessionTable = try SessionTable(connection)
    let last = try connection.integer(
      "SELECT max(coalesce((SELECT max(sequence) FROM events), 0), coalesce((SELECT max(last_sequence) FROM erasures), 0))"
    )
    nextSequence = try last.successor(of: "an event")
  }

  func insert(_ offset: EventOffset, of submission: EventSubmission) throws(StoreError) -> IdentityVerdict {
    try parameters.bind(submission.event(at: offset), of: submission, sequence: nextSequence, to: insertion)
    defer { insertion.rewind() }
    _ = try insertion.step()
    guard connection.changeCount == 0 else {
      nextSequence = try nextSequence.successor(of: "an event")
      return .new
    }
    let verdict = try verdict(on: offset, of: submission)
    guard verdict != .new else { throw .failed(operation: "insert event", reason: "refused without a known cause") }
    return verdict
  }

  func verdict(on offset: EventOffset, of submission: EventSubmission) throws(StoreError) -> IdentityVerdict {
    let identity = submission.identity(at: offset)
    defer { lookup.reset() }
    try lookup.bind(identity.timestamp, at: 1)
    try lookup.bind(identity.id, at: 2)
    try lookup.bind(identity.venueID, at: 3)
    try lookup.bind(identity.clientID, at: 4)
    guard try lookup.step() else { return .new }
    return try EventRow.event(in: lookup) == submission.event(at: offset) ? .sameContent : .otherContent
  }

  func removeNewest(_ count: Int) throws(StoreError) {
    nextSequence -= Int64(count)
    try removal.bind(nextSequence, at: 1)
    try removal.run()
  }

  func storedSessions(of owner: EventOwner) throws(StoreError) -> StoredSessions {
    try sessionTable.sessions(of: owner)
  }

  func storedSession(_ id: UUID, of owner: EventOwner) throws(StoreError) -> LoadSession? {
    try sessionTable.session(id, of: owner)
  }

  /// Writes what the batches of this transaction changed of sessions and devices.
  func writeSessions() throws(StoreError) {
    try sessions.writeChanges { owner, device throws(StoreError) in
      try sessionTable.write(device, of: owner)
    } sessions: { owner, id, session throws(StoreError) in
      try sessionTable.write(session, id: id, of: owner)
    }
  }
}
