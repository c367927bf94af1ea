package import EnergyModel
package import FoundationEssentials
package import Storage

extension SQLiteStore {
  package func keyOwner(_ keyHash: [UInt8]) async throws(StoreError) -> KeyOwner? {
    try await read { connection throws(StoreError) in
      let rows = try connection.statement(
        "SELECT \(Client.columns), end_time FROM client_keys JOIN clients ON id = client_id WHERE hash = ?")
      defer { rows.reset() }
      try rows.bind(keyHash, at: 1)
      guard try rows.step() else { return nil }
      return KeyOwner(client: try Client(in: rows), endTime: rows.optionalTimestamp(5))
    }
  }

  package func client(id: UUID) async throws(StoreError) -> Client? {
    try await read { connection throws(StoreError) in
      let rows = try connection.statement("SELECT \(Client.columns) FROM clients WHERE id = ?")
      defer { rows.reset() }
      try rows.bind(id, at: 1)
      return try rows.step() ? Client(in: rows) : nil
    }
  }

  package func clients(after: NameCursor?, limit: Int) async throws(StoreError) -> [Client] {
    try await read { connection throws(StoreError) in
      let rows = try connection.statement(
        """
        SELECT \(Client.columns) FROM clients WHERE ?1 IS NULL OR (name, id) > (?1, ?2) ORDER BY name, id LIMIT ?3
        """)
      defer { rows.reset() }
      try rows.bind(after: after, limit: limit)
      var clients: [Client] = []
      while try rows.step() { clients.append(try Client(in: rows)) }
      return clients
    }
  }

  package func save(_ client: Client, keyHash: [UInt8]?) async throws(StoreError) {
    try await write { connection throws(StoreError) in
      let row = try connection.statement(
        """
        INSERT INTO clients (\(Client.columns)) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
          name = excluded.name, entitlements = excluded.entitlements, is_disabled = excluded.is_disabled,
          create_time = excluded.create_time
        """)
      defer { row.reset() }
      try row.bind(client.id, at: 1)
      try row.bind(client.name, at: 2)
      try row.bind(client.entitlementBits, at: 3)
      try row.bind(client.isDisabled, at: 4)
      try row.bind(client.createTime, at: 5)
      _ = try row.step()
      if let keyHash { try addKey(keyHash, to: client.id, in: connection) }
    }
  }

  package func replaceKeys(
    of clientID: UUID, by keyHash: [UInt8], othersEnd: Timestamp, now: Timestamp
  ) async throws(StoreError) {
    try await write { connection throws(StoreError) in
      // The foreign key refuses a client that is absent.
      try addKey(keyHash, to: clientID, in: connection)
      let ending = try connection.statement(
        """
        UPDATE client_keys SET end_time = min(coalesce(end_time, ?3), ?3) WHERE client_id = ?1 AND hash <> ?2
        """)
      defer { ending.reset() }
      try ending.bind(clientID, at: 1)
      try ending.bind(keyHash, at: 2)
      try ending.bind(othersEnd, at: 3)
      _ = try ending.step()
      let ended = try connection.statement("DELETE FROM client_keys WHERE client_id = ? AND end_time <= ?")
      defer { ended.reset() }
      try ended.bind(clientID, at: 1)
      try ended.bind(now, at: 2)
      _ = try ended.step()
    }
  }

  package func deleteClient(id: UUID) async throws(StoreError) -> Bool {
    try await write { connection throws(StoreError) in
      try connection.delete("DELETE FROM venue_access WHERE client_id = ?", id)
      try connection.delete("DELETE FROM client_keys WHERE client_id = ?", id)
      return try connection.delete("DELETE FROM clients WHERE id = ?", id) > 0
    }
  }
}

extension Connection {
  /// Runs a statement whose one parameter is an id; returns how many rows it deleted.
  @discardableResult
  func delete(_ sql: String, _ id: UUID) throws(StoreError) -> Int {
    let row = try statement(sql)
    defer { row.reset() }
    try row.bind(id, at: 1)
    _ = try row.step()
    return changeCount
  }
}

private func addKey(_ hash: [UInt8], to clientID: UUID, in connection: Connection) throws(StoreError) {
  let row = try connection.statement(
    """
    INSERT INTO client_keys (hash, client_id) VALUES (?1, ?2)
      ON CONFLICT (hash) DO UPDATE SET end_time = NULL WHERE client_id = ?2
    """)
  defer { row.reset() }
  try row.bind(hash, at: 1)
  try row.bind(clientID, at: 2)
  _ = try row.step()
  guard connection.changeCount == 1 else {
    throw .conflict(operation: "save client", reason: "the key is another client's")
  }
}

extension Client {
  /// As `init(in:)` reads them from 0 on.
  fileprivate static let columns = "id, name, entitlements, is_disabled, create_time"

  fileprivate init(in row: Statement) throws(StoreError) {
    let bits = row.integer(2)
    self.init(
      id: try row.uuid(0), name: row.text(1), entitlements: Set(Entitlement.allCases.filter { bits & $0.bit != 0 }),
      isDisabled: row.boolean(3), createTime: row.timestamp(4))
  }

  fileprivate var entitlementBits: Int64 { entitlements.reduce(0) { $0 | $1.bit } }
}

extension Entitlement {
  fileprivate var bit: Int64 { 1 << Int64(rawValue) }
}
