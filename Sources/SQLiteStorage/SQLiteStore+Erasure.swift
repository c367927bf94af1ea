import EnergyModel
package import FoundationEssentials
package import Storage

extension SQLiteStore {
  /// Events that one transaction looks at: some milliseconds of the writer's time.
  private static let stepCount: Int64 = 20_000

  package func erase(_ erasure: EventErasure) async throws(StoreError) -> Int {
    await queue.settled()
    let sessions = self.eventWriter
    let last = try await write { connection throws(StoreError) in
      try connection.eraseSessions(erasure)
      sessions.forgetSessions()
      // The one that began when the venue was deleted goes on in this one.
      try connection.finish(erasure)
      return try connection.register(erasure)
    }
    return try await eraseEvents(erasure, upTo: last)
  }

  package func isErasing(venueID: UUID) async throws(StoreError) -> Bool {
    try await read { connection throws(StoreError) in try connection.isErasing(venueID: venueID) }
  }

  package func finishErasures() async throws(StoreError) {
    let pending = try await read { connection throws(StoreError) in try connection.pendingErasures() }
    for (erasure, last) in pending {
      // A venue is gone with all that it had, and is not made again before that; a device may have begun anew.
      if erasure.device == nil { _ = try await erase(erasure) } else { _ = try await eraseEvents(erasure, upTo: last) }
    }
  }

  /// Walks the table once, up to what was the newest event at the beginning.
  private func eraseEvents(_ erasure: EventErasure, upTo last: Int64) async throws(StoreError) -> Int {
    var count = 0
    var start: Int64 = 0
    while start < last {
      let range = start..<min(start + Self.stepCount, last)
      count += try await write { connection throws(StoreError) in try connection.eraseEvents(erasure, in: range) }
      start = range.upperBound
    }
    try await write { connection throws(StoreError) in try connection.finish(erasure) }
    return count
  }
}

extension Connection {
  /// Remembers that the events are to go; returns the number of the newest one there is.
  @discardableResult
  func register(_ erasure: EventErasure) throws(StoreError) -> Int64 {
    let last = try integer("SELECT coalesce(max(sequence), 0) FROM events")
    let row = try statement("INSERT INTO erasures (venue_id, client_id, device_id, last_sequence) VALUES (?, ?, ?, ?)")
    defer { row.reset() }
    try row.bind(erasure, at: 1)
    try row.bind(last, at: 4)
    _ = try row.step()
    return last
  }

  fileprivate func pendingErasures() throws(StoreError) -> [(EventErasure, Int64)] {
    let rows = try statement("SELECT venue_id, client_id, device_id, last_sequence FROM erasures ORDER BY number")
    defer { rows.reset() }
    var erasures: [(EventErasure, Int64)] = []
    while try rows.step() {
      let clientID = try rows.optionalUUID(1)
      let device = clientID.map { EventErasure.Device(clientID: $0, id: rows.text(2)) }
      erasures.append((EventErasure(venueID: try rows.uuid(0), device: device), rows.integer(3)))
    }
    return erasures
  }

  fileprivate func isErasing(venueID: UUID) throws(StoreError) -> Bool {
    let row = try statement("SELECT 1 FROM erasures WHERE venue_id = ? AND client_id IS NULL LIMIT 1")
    defer { row.reset() }
    try row.bind(venueID, at: 1)
    return try row.step()
  }

  fileprivate func eraseSessions(_ erasure: EventErasure) throws(StoreError) {
    for table in ["load_sessions", "load_devices"] {
      let row = try statement(
        "DELETE FROM \(table) WHERE venue_id = ?1 AND (?2 IS NULL OR (client_id = ?2 AND device_id = ?3))")
      defer { row.reset() }
      try row.bind(erasure, at: 1)
      _ = try row.step()
    }
  }

  /// - Parameter range: Of sequence numbers less one.
  fileprivate func eraseEvents(_ erasure: EventErasure, in range: Range<Int64>) throws(StoreError) -> Int {
    let row = try statement(
      """
      DELETE FROM events WHERE sequence > ?4 AND sequence <= ?5 AND venue_id = ?1
        AND (?2 IS NULL OR (client_id = ?2 AND device_id = ?3))
      """)
    defer { row.reset() }
    try row.bind(erasure, at: 1)
    try row.bind(range.lowerBound, at: 4)
    try row.bind(range.upperBound, at: 5)
    _ = try row.step()
    return changeCount
  }

  /// Forgets this erasure and those like it that were begun before: their events are gone too.
  fileprivate func finish(_ erasure: EventErasure) throws(StoreError) {
    let row = try statement("DELETE FROM erasures WHERE venue_id = ? AND client_id IS ? AND device_id IS ?")
    defer { row.reset() }
    try row.bind(erasure, at: 1)
    _ = try row.step()
  }
}

extension Statement {
  /// Venue, client and device, from `place` on.
  fileprivate func bind(_ erasure: EventErasure, at place: CInt) throws(StoreError) {
    try bind(erasure.venueID, at: place)
    try bind(erasure.device?.clientID, at: place + 1)
    try bind(erasure.device?.id, at: place + 2)
  }
}
