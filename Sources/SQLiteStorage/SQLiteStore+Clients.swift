package import EnergyModel
package import FoundationEssentials
package import Storage

extension SQLiteStore {
  package func client(keyHash: [UInt8]) async throws(StoreError) -> Client? {
    try await read { connection throws(StoreError) in
      let rows = try connection.statement(
        "SELECT \(Client.columns) FROM clients WHERE id = (SELECT client_id FROM client_keys WHERE hash = ?)")
      defer { rows.reset() }
      try rows.bind(keyHash, at: 1)
      return try rows.step() ? Client(in: rows) : nil
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
}

private func addKey(_ hash: [UInt8], to clientID: UUID, in connection: Connection) throws(StoreError) {
  let row = try connection.statement(
    """
    INSERT INTO client_keys (hash, client_id) VALUES (?1, ?2)
      ON CONFLICT (hash) DO UPDATE SET client_id = client_id WHERE client_id = ?2
    """)
  defer { row.reset() }
  try row.bind(hash, at: 1)
  try row.bind(clientID, at: 2)
  _ = try row.step()
  guard connection.changeCount == 1 else {
    throw .failed(operation: "save client", reason: "the key is another client's")
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
