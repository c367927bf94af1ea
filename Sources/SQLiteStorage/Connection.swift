import CSQLite
import Glibc
package import Storage

/// One connection to a database file. Used by one thread at a time.
package final class Connection {
  private let handle: OpaquePointer
  /// Statements that were prepared before, by their SQL.
  private var statements: [String: Statement] = [:]

  /// Opens an existing file.
  ///
  /// - Parameter isWritable: Otherwise writing fails.
  package init(path: String, isWritable: Bool) throws(StoreError) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
      sqlite3_close_v2(handle)
      throw .failed(operation: "sqlite3_open_v2 \(path)", reason: reason)
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, 5_000)
    try execute("PRAGMA foreign_keys = ON")
    if !isWritable { try execute("PRAGMA query_only = ON") }
  }

  /// Statements that are still referenced keep the file open until they are gone.
  deinit { sqlite3_close_v2(handle) }

  /// Runs statements that return nothing of interest.
  package func execute(_ sql: String) throws(StoreError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil), "sqlite3_exec")
  }

  /// The statement ready to be bound, prepared the first time. Not for two uses at once of the same SQL.
  func statement(_ sql: String) throws(StoreError) -> Statement {
    if let known = statements[sql] { return known }
    let statement = try prepare(sql)
    statements[sql] = statement
    return statement
  }

  /// A statement of the caller's own.
  func prepare(_ sql: String) throws(StoreError) -> Statement {
    var raw: OpaquePointer?
    try check(
      sqlite3_prepare_v3(handle, sql, -1, CUnsignedInt(SQLITE_PREPARE_PERSISTENT), &raw, nil), "sqlite3_prepare_v3")
    guard let raw else { throw .failed(operation: "sqlite3_prepare_v3", reason: "no statement") }
    return Statement(raw, of: handle)
  }

  /// The first column of the first row. Throws where there is no row.
  package func integer(_ sql: String) throws(StoreError) -> Int64 {
    let statement = try prepare(sql)
    guard try statement.step() else { throw .failed(operation: "sqlite3_step", reason: "no row") }
    return statement.integer(0)
  }

  /// The same, of text.
  func text(_ sql: String) throws(StoreError) -> String {
    let statement = try prepare(sql)
    guard try statement.step() else { throw .failed(operation: "sqlite3_step", reason: "no row") }
    return statement.text(0)
  }

  /// Runs `body` in a transaction that is durable when this returns and leaves no trace where it throws.
  func transaction<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    try statement("BEGIN IMMEDIATE").run()
    do {
      let value = try body()
      try statement("COMMIT").run()
      return value
    } catch {
      rollBack()
      throw error
    }
  }

  /// Rows that the last statement inserted, updated or deleted.
  var changeCount: Int { Int(sqlite3_changes64(handle)) }

  /// After an error SQLite may have rolled back by itself; there is nothing to do then.
  private func rollBack() {
    guard sqlite3_get_autocommit(handle) == 0 else { return }
    _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }

  private func check(_ code: CInt, _ call: StaticString) throws(StoreError) {
    if code != SQLITE_OK { throw StoreError(call, on: handle) }
  }
}

extension StoreError {
  /// What SQLite says of the connection's last call: its words name tables and columns, never values.
  init(_ call: StaticString, on connection: OpaquePointer) {
    let (operation, reason) = ("\(call)", String(cString: sqlite3_errmsg(connection)))
    self =
      sqlite3_errcode(connection) == SQLITE_CONSTRAINT
      ? .conflict(operation: operation, reason: reason) : .failed(operation: operation, reason: reason)
  }
}
