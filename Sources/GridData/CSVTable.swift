/// A table of comma-separated values (RFC 4180) with a header, as bytes came.
struct CSVTable {
  let source: String
  /// Trimmed; the header's fields.
  let columns: [String]
  /// Each as wide as the header.
  let rows: [Row]

  struct Row {
    /// Of its first character.
    let line: Int
    /// Trimmed.
    let fields: [String]
  }

  static let maximumRowCount = 200_000

  /// A byte order mark is skipped, blank lines too; lines may end in CRLF.
  init(_ text: String, source: String) throws(GridDataError) {
    var scanner = CSVScanner(text, source: source)
    guard let header = try scanner.nextRow() else { throw GridDataError(source, "is empty") }
    var rows: [Row] = []
    while let row = try scanner.nextRow() {
      guard row.fields.count == header.fields.count else {
        throw GridDataError(
          source, line: row.line, "has \(row.fields.count) fields where the header has \(header.fields.count)")
      }
      guard rows.count < Self.maximumRowCount else {
        throw GridDataError(source, "has more than \(Self.maximumRowCount) rows")
      }
      rows.append(row)
    }
    self.source = source
    self.columns = header.fields
    self.rows = rows
  }

  /// The position of the first of the columns with one of these names, in any case.
  func column(_ names: [String]) -> Int? {
    columns.firstIndex { column in names.contains { $0 == column.lowercased() } }
  }

  /// The position of the column with exactly this name.
  func column(named name: String) throws(GridDataError) -> Int {
    guard let position = columns.firstIndex(of: name) else {
      throw GridDataError(source, line: 1, field: name, "no such column; there are \(columns.joined(separator: ", "))")
    }
    return position
  }
}

/// Takes rows off a text, one by one.
private struct CSVScanner {
  private let source: String
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  init(_ text: String, source: String) {
    self.source = source
    let bytes = Array(text.utf8)
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  /// The next row that is not blank; `nil` at the end.
  mutating func nextRow() throws(GridDataError) -> CSVTable.Row? {
    while position < bytes.count {
      let first = line
      var fields = [try nextField()]
      while position < bytes.count, bytes[position] == UInt8(ascii: ",") {
        position += 1
        fields.append(try nextField())
      }
      endLine()
      if fields != [""] { return CSVTable.Row(line: first, fields: fields) }
    }
    return nil
  }

  private mutating func endLine() {
    if position < bytes.count, bytes[position] == UInt8(ascii: "\r") { position += 1 }
    if position < bytes.count, bytes[position] == UInt8(ascii: "\n") { position += 1 }
    line += 1
  }

  private mutating func nextField() throws(GridDataError) -> String {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return plainField() }
    return try quotedField()
  }

  private mutating func plainField() -> String {
    let start = position
    while position < bytes.count, !Self.endsField(bytes[position]) { position += 1 }
    return Self.trimmed(bytes[start..<position])
  }

  private mutating func quotedField() throws(GridDataError) -> String {
    let first = line
    position += 1
    var content: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\n") { line += 1 }
      guard byte == UInt8(ascii: "\"") else {
        content.append(byte)
        continue
      }
      if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
        content.append(byte)
        position += 1
        continue
      }
      guard position == bytes.count || Self.endsField(bytes[position]) else {
        throw GridDataError(source, line: line, "has text after a closing quotation mark")
      }
      return Self.trimmed(content[...])
    }
    throw GridDataError(source, line: first, "has a quotation mark that is never closed")
  }

  private static func endsField(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let start = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
  }
}
