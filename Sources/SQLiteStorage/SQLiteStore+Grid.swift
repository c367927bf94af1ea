package import EnergyModel
package import Storage

extension SQLiteStore {
  package func ratePlans() async throws(StoreError) -> [RatePlan] {
    try await read { connection throws(StoreError) in
      let rows = try connection.statement("SELECT body FROM rate_plans ORDER BY id")
      defer { rows.reset() }
      var plans: [RatePlan] = []
      while try rows.step() { plans.append(try JSONBody.decode(rows.blob(0))) }
      return plans
    }
  }

  package func save(_ plan: RatePlan) async throws(StoreError) {
    let body = try JSONBody.encode(plan)
    try await write { connection throws(StoreError) in
      let row = try connection.statement(
        "INSERT INTO rate_plans (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body")
      defer { row.reset() }
      try row.bind(plan.id, at: 1)
      try row.bind(body, at: 2)
      _ = try row.step()
    }
  }

  package func append(_ signal: GridSignal) async throws(StoreError) {
    try await write { connection throws(StoreError) in
      let row = try connection.statement(
        """
        INSERT INTO grid_signals (grid_region, issue_time, kind, model, is_measured, points) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (grid_region, issue_time, kind, model, is_measured) DO UPDATE SET points = excluded.points
        """)
      defer { row.reset() }
      try row.bind(signal.key.gridRegion, at: 1)
      try row.bind(signal.issueTime, at: 2)
      try row.bind(Int64(signal.key.kind.rawValue), at: 3)
      try row.bind(signal.key.model, at: 4)
      try row.bind(signal.isMeasured, at: 5)
      try row.bind(SignalPoints.encode(signal.points), at: 6)
      _ = try row.step()
    }
  }

  package func signals(gridRegion: String, since: Timestamp) async throws(StoreError) -> [GridSignal] {
    try await read { connection throws(StoreError) in
      let rows = try connection.statement(
        """
        SELECT kind, model, is_measured, issue_time, points FROM grid_signals
          WHERE grid_region = ? AND issue_time >= ? ORDER BY issue_time, kind, model, is_measured
        """)
      defer { rows.reset() }
      try rows.bind(gridRegion, at: 1)
      try rows.bind(since, at: 2)
      var signals: [GridSignal] = []
      while try rows.step() {
        let kind = try rows.valid(SignalKind(rawValue: UInt8(clamping: rows.integer(0))), 0)
        signals.append(
          GridSignal(
            key: SignalKey(gridRegion: gridRegion, kind: kind, model: rows.text(1)), isMeasured: rows.boolean(2),
            issueTime: rows.timestamp(3), points: try rows.valid(SignalPoints.decode(rows.blob(4)), 4)))
      }
      return signals
    }
  }

  package func signalRegions() async throws(StoreError) -> [String] {
    try await read { connection throws(StoreError) in
      // One step of the key's index for each region, however long its history.
      let rows = try connection.statement(
        """
        WITH RECURSIVE regions (code) AS (
          SELECT min(grid_region) FROM grid_signals
          UNION ALL
          SELECT (SELECT min(grid_region) FROM grid_signals WHERE grid_region > code) FROM regions
            WHERE code IS NOT NULL
        )
        SELECT code FROM regions WHERE code IS NOT NULL
        """)
      defer { rows.reset() }
      var codes: [String] = []
      while try rows.step() { codes.append(rows.text(0)) }
      return codes
    }
  }
}
