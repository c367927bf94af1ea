package import FoundationEssentials
package import Storage

extension SQLiteStore {
  package func leaseDailyEvents(
    _ count: Int, atLeast minimum: Int, of clientID: UUID, day: Int64, limit: Int
  ) async throws(StoreError) -> Int {
    try await write { connection throws(StoreError) in
      let lookup = try connection.statement("SELECT leased FROM daily_events WHERE client_id = ? AND day = ?")
      defer { lookup.reset() }
      try lookup.bind(clientID, at: 1)
      try lookup.bind(day, at: 2)
      let leased = try lookup.step() ? Int(lookup.integer(0)) : 0
      let available = max(0, min(count, limit - leased))
      let granted = available < minimum ? 0 : available
      let row = try connection.statement(
        """
        INSERT INTO daily_events (client_id, day, leased) VALUES (?, ?, ?)
          ON CONFLICT (client_id) DO UPDATE SET day = excluded.day, leased = excluded.leased
        """)
      defer { row.reset() }
      try row.bind(clientID, at: 1)
      try row.bind(day, at: 2)
      try row.bind(Int64(leased + granted), at: 3)
      _ = try row.step()
      return granted
    }
  }
}
