package import EnergyModel
package import Storage

extension SQLiteStore {
  package func append(_ revision: GuidanceRevision) async throws(StoreError) {
    let series = String(decoding: try JSONBody.encode(revision.series), as: UTF8.self)
    let body = try JSONBody.encode(revision)
    try await write { connection throws(StoreError) in
      let name = try connection.statement(
        "INSERT INTO guidance_series (series) VALUES (?) ON CONFLICT (series) DO NOTHING")
      defer { name.reset() }
      try name.bind(series, at: 1)
      _ = try name.step()
      let row = try connection.statement(
        """
        INSERT INTO guidance_revisions (series_number, issue_time, number, body)
          SELECT number, ?2, ?3, ?4 FROM guidance_series WHERE series = ?1
        """)
      defer { row.reset() }
      try row.bind(series, at: 1)
      try row.bind(revision.issueTime, at: 2)
      try row.bind(Int64(revision.number), at: 3)
      try row.bind(body, at: 4)
      _ = try row.step()
    }
  }

  package func currentRevisions() async throws(StoreError) -> [GuidanceRevision] {
    try await read { connection throws(StoreError) in
      // One step to the end of each series in the key's index, however long its history.
      let rows = try connection.statement(
        """
        SELECT (
          SELECT body FROM guidance_revisions WHERE series_number = guidance_series.number
            ORDER BY issue_time DESC, number DESC LIMIT 1
        ) FROM guidance_series
        """)
      defer { rows.reset() }
      var revisions: [GuidanceRevision] = []
      while try rows.step() { revisions.append(try JSONBody.decode(rows.blob(0))) }
      return revisions
    }
  }

  package func masterKeys() async throws(StoreError) -> [MasterKey] {
    try await read { connection throws(StoreError) in
      let rows = try connection.statement(
        "SELECT id, secret, create_time FROM master_keys ORDER BY create_time DESC, id DESC")
      defer { rows.reset() }
      var keys: [MasterKey] = []
      while try rows.step() {
        let id = try rows.valid(UInt8(exactly: rows.integer(0)), 0)
        keys.append(MasterKey(id: id, secret: rows.blob(1), createTime: rows.timestamp(2)))
      }
      return keys
    }
  }

  package func append(_ key: MasterKey) async throws(StoreError) {
    try await write { connection throws(StoreError) in
      let row = try connection.statement("INSERT INTO master_keys (id, secret, create_time) VALUES (?, ?, ?)")
      defer { row.reset() }
      try row.bind(Int64(key.id), at: 1)
      try row.bind(key.secret, at: 2)
      try row.bind(key.createTime, at: 3)
      _ = try row.step()
    }
  }

  package func removeMasterKey(id: UInt8) async throws(StoreError) {
    try await write { connection throws(StoreError) in
      let row = try connection.statement("DELETE FROM master_keys WHERE id = ?")
      defer { row.reset() }
      try row.bind(Int64(id), at: 1)
      _ = try row.step()
    }
  }
}
