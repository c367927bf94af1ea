/// Text of others, made fit for a terminal.
enum Text {
  /// Without what would move the cursor, change colours or the direction of writing.
  static func clean(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { isPrintable($0) ? $0 : "\u{FFFD}" }))
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      scalar == "\u{200D}"  // joins emoji into one character
    case _: true
    }
  }

  /// Columns of a terminal.
  static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  private static func width(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    case _: break
    }
    if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    return wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  /// East Asian wide characters and emoji (Unicode TR 11), by their blocks.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
    0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
  ]

  static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(text)))
  }
}

/// Rows under headings, each column as wide as its widest cell.
struct Table {
  private var rows: [[String]]

  init(_ headings: String...) {
    rows = [headings]
  }

  var isEmpty: Bool { rows.count == 1 }

  mutating func add(_ cells: [String]) {
    rows.append(cells.map { $0.isEmpty ? "-" : Text.clean($0) })
  }

  mutating func add(_ cells: String...) { add(cells) }

  var text: String {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        let width = Text.width(cell)
        if column == widths.count { widths.append(width) } else { widths[column] = max(widths[column], width) }
      }
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1 ? cell : Text.padded(cell, to: widths[column])
      }
      return cells.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}

/// Names and values of one thing, one a line.
struct Card {
  private var lines: [(name: String, value: String)] = []

  mutating func add(_ name: String, _ value: String) {
    lines.append((name, value.isEmpty ? "-" : Text.clean(value)))
  }

  var text: String {
    let width = lines.map { Text.width($0.name) }.max() ?? 0
    return lines.map { "\(Text.padded($0.name, to: width))  \($0.value)" }.joined(separator: "\n")
  }
}
