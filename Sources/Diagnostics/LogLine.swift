import Glibc

/// One line of the log while it is put together.
struct LogLine {
  private let format: Log.Format
  private var bytes: [UInt8] = []

  /// A longer value is cut, with an ellipsis, so that a line stays in the bounds of what a pipe takes as one piece.
  private static let valueBound = 1024

  init(format: Log.Format) {
    self.format = format
    bytes.reserveCapacity(256)
  }

  mutating func begin(time: Int64, level: Log.Level, message: StaticString) {
    switch format {
    case .text:
      appendTime(time)
      append(" \(level.name) ")
      appendEscaped(message.description)
    case .json:
      append("{\"time\":\"")
      appendTime(time)
      append("\",\"level\":\"\(level.name)\",\"message\":")
      appendQuoted(message.description)
    }
  }

  mutating func add(_ key: StaticString, _ value: LogValue) {
    switch format {
    case .text:
      append(" ")
      appendEscaped(key.description)
      append("=")
    case .json:
      append(",")
      appendQuoted(Self.free(key.description))
      append(":")
    }
    switch value {
    case .text(let text): appendText(text)
    case .integer(let integer): append("\(integer)")
    case .number(let number): appendNumber(number)
    case .truth(let truth): append(truth ? "true" : "false")
    }
  }

  mutating func end() {
    switch format {
    case .text: append("\n")
    case .json: append("}\n")
    }
  }

  /// One write(2), unless a signal or a full pipe cuts it.
  func write(to descriptor: CInt) {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if written > 0 {
          rest = rest.dropFirst(written)
        } else if errno != EINTR {
          return
        }
      }
    }
  }

  // MARK: - Values

  private mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// `2026-05-01T12:00:00.000Z`, of milliseconds since 1970.
  private mutating func appendTime(_ milliseconds: Int64) {
    let (second, fraction) = Self.split(milliseconds)
    var seconds = time_t(second)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    append(Self.padded(parts.tm_year + 1900, 4) + "-" + Self.padded(parts.tm_mon + 1, 2))
    append("-" + Self.padded(parts.tm_mday, 2) + "T" + Self.padded(parts.tm_hour, 2))
    append(":" + Self.padded(parts.tm_min, 2) + ":" + Self.padded(parts.tm_sec, 2))
    append("." + Self.padded(CInt(fraction), 3) + "Z")
  }

  /// Seconds, rounded down, and the milliseconds 0...999 beyond them.
  private static func split(_ milliseconds: Int64) -> (Int64, Int64) {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return rest < 0 ? (seconds - 1, rest + 1000) : (seconds, rest)
  }

  private mutating func appendText(_ text: String) {
    let cut = Self.cut(text)
    switch format {
    case .text:
      if Self.isPlain(cut) { append(cut) } else { appendQuoted(cut) }
    case .json:
      appendQuoted(cut)
    }
  }

  /// JSON has no infinity and no NaN: they become text.
  private mutating func appendNumber(_ number: Double) {
    if number.isFinite { append("\(number)") } else { appendText("\(number)") }
  }

  private mutating func appendQuoted(_ text: String) {
    append("\"")
    appendEscaped(text)
    append("\"")
  }

  /// As in a JSON string (RFC 8259 §7), with all that controls a terminal or ends a line for some reader escaped too.
  private mutating func appendEscaped(_ text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": append("\\\"")
      case "\\": append("\\\\")
      case "\n": append("\\n")
      case "\r": append("\\r")
      case "\t": append("\\t")
      case _ where Self.isHarmless(scalar): bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
      case _: for unit in UTF16.encode(scalar) ?? .init() { append("\\u" + Self.hexadecimal(unit)) }
      }
    }
  }

  // MARK: - Rules

  /// Names of our own parts of a JSON line are not given away twice.
  private static func free(_ key: String) -> String {
    ["time", "level", "message"].contains(key) ? key + "_" : key
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > valueBound else { return text }
    var kept = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      if count > valueBound { break }
      kept.append(scalar)
    }
    return String(kept) + "…"
  }

  /// Whether text stands for itself in a text line, without quotes.
  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
          && byte != UInt8(ascii: "=")
      }
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation,
      .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
      .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol, .spaceSeparator:
      true
    @unknown default: false
    }
  }

  private static func padded(_ value: CInt, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func hexadecimal(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
