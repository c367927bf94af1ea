import CSQLite
import EnergyModel
import FoundationEssentials
import Storage

/// A prepared statement. Places count from 1 where values are bound, from 0 where they are read.
final class Statement {
  private let raw: OpaquePointer
  private let connection: OpaquePointer

  /// Takes `raw` over.
  init(_ raw: OpaquePointer, of connection: OpaquePointer) {
    self.raw = raw
    self.connection = connection
  }

  deinit { sqlite3_finalize(raw) }

  /// Returns whether there is a row to read.
  func step() throws(StoreError) -> Bool {
    switch sqlite3_step(raw) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let error = StoreError("sqlite3_step", on: connection)
      sqlite3_reset(raw)
      throw error
    }
  }

  /// Steps a statement that has no rows, and makes it ready for the next time.
  func run() throws(StoreError) {
    while try step() {}
    reset()
  }

  /// Ends the statement's read or write and forgets what was bound. Needed after reading, also where a read threw.
  func reset() {
    sqlite3_reset(raw)
    sqlite3_clear_bindings(raw)
  }

  /// Like `reset`, but what was bound stays.
  func rewind() {
    sqlite3_reset(raw)
  }

  // MARK: Binding

  func bind(_ value: Int64, at place: CInt) throws(StoreError) {
    try check(sqlite3_bind_int64(raw, place, value), "sqlite3_bind_int64")
  }

  func bind(_ value: Bool, at place: CInt) throws(StoreError) {
    try bind(value ? 1 : 0 as Int64, at: place)
  }

  func bind(_ value: Timestamp, at place: CInt) throws(StoreError) {
    try bind(value.milliseconds, at: place)
  }

  func bind(_ value: Double, at place: CInt) throws(StoreError) {
    try check(sqlite3_bind_double(raw, place, value), "sqlite3_bind_double")
  }

  func bindNull(at place: CInt) throws(StoreError) {
    try check(sqlite3_bind_null(raw, place), "sqlite3_bind_null")
  }

  func bind(_ value: Double?, at place: CInt) throws(StoreError) {
    if let value { try bind(value, at: place) } else { try bindNull(at: place) }
  }

  func bind(_ value: Timestamp?, at place: CInt) throws(StoreError) {
    if let value { try bind(value, at: place) } else { try bindNull(at: place) }
  }

  func bind(_ value: String, at place: CInt) throws(StoreError) {
    var copy = value
    let code = copy.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) {
        csqlite_bind_text_copy(raw, place, $0.baseAddress, CInt(clamping: $0.count))
      }
    }
    try check(code, "sqlite3_bind_text")
  }

  func bind(_ value: String?, at place: CInt) throws(StoreError) {
    if let value { try bind(value, at: place) } else { try bindNull(at: place) }
  }

  func bind(_ value: [UInt8], at place: CInt) throws(StoreError) {
    let code = value.withUnsafeBytes { csqlite_bind_blob_copy(raw, place, $0.baseAddress, CInt(clamping: $0.count)) }
    try check(code, "sqlite3_bind_blob")
  }

  func bind(_ value: UUID, at place: CInt) throws(StoreError) {
    let code = withUnsafeBytes(of: value) { csqlite_bind_blob_copy(raw, place, $0.baseAddress, 16) }
    try check(code, "sqlite3_bind_blob")
  }

  func bind(_ value: UUID?, at place: CInt) throws(StoreError) {
    if let value { try bind(value, at: place) } else { try bindNull(at: place) }
  }

  /// `bytes` must stay where they are, unchanged, until the statement has run and is bound anew or reset.
  func bindUncopied(blob bytes: UnsafeRawBufferPointer, at place: CInt) throws(StoreError) {
    try check(sqlite3_bind_blob(raw, place, bytes.baseAddress, CInt(clamping: bytes.count), nil), "sqlite3_bind_blob")
  }

  /// The same for UTF-8.
  func bindUncopied(text bytes: UnsafeRawBufferPointer, at place: CInt) throws(StoreError) {
    let text = bytes.assumingMemoryBound(to: CChar.self)
    try check(sqlite3_bind_text(raw, place, text.baseAddress, CInt(clamping: text.count), nil), "sqlite3_bind_text")
  }

  private func check(_ code: CInt, _ call: StaticString) throws(StoreError) {
    if code != SQLITE_OK { throw StoreError(call, on: connection) }
  }

  // MARK: Reading

  func isNull(_ column: CInt) -> Bool {
    sqlite3_column_type(raw, column) == SQLITE_NULL
  }

  func integer(_ column: CInt) -> Int64 {
    sqlite3_column_int64(raw, column)
  }

  func boolean(_ column: CInt) -> Bool {
    integer(column) != 0
  }

  func timestamp(_ column: CInt) -> Timestamp {
    Timestamp(milliseconds: integer(column))
  }

  func optionalTimestamp(_ column: CInt) -> Timestamp? {
    isNull(column) ? nil : timestamp(column)
  }

  func optionalDouble(_ column: CInt) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(raw, column)
  }

  func text(_ column: CInt) -> String {
    guard let start = sqlite3_column_text(raw, column) else { return "" }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, column)))
    return String(decoding: bytes, as: UTF8.self)
  }

  func optionalText(_ column: CInt) -> String? {
    isNull(column) ? nil : text(column)
  }

  func blob(_ column: CInt) -> [UInt8] {
    guard let start = sqlite3_column_blob(raw, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(raw, column))))
  }

  func uuid(_ column: CInt) throws(StoreError) -> UUID {
    guard sqlite3_column_bytes(raw, column) == 16, let start = sqlite3_column_blob(raw, column) else {
      throw .unreadable(column: column)
    }
    return start.loadUnaligned(as: UUID.self)
  }

  func optionalUUID(_ column: CInt) throws(StoreError) -> UUID? {
    isNull(column) ? nil : try uuid(column)
  }
}

extension StoreError {
  /// A row holds what this program never wrote.
  static func unreadable(column: CInt) -> StoreError {
    .failed(operation: "read row", reason: "the value in column \(column) is not one that was stored")
  }
}

extension Statement {
  /// `value`, where the column held something that could be made of it.
  func valid<Value>(_ value: Value?, _ column: CInt) throws(StoreError) -> Value {
    guard let value else { throw .unreadable(column: column) }
    return value
  }
}
