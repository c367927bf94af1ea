/// Reads one value after the other, separated by white space or nothing: a document, or lines of them.
package struct JSONReader {
  private static let maximumDepth = 32

  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // A byte order mark says nothing about UTF-8.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// The next value; `nil` at the end of the text.
  package mutating func next() throws(JSONText.Fault) -> JSONText.Value? {
    skipSpace()
    guard offset < bytes.count else { return nil }
    return try value(depth: 0)
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(JSONText.Fault) -> JSONText.Value {
    skipSpace()
    guard depth < Self.maximumDepth else { throw fault("values are nested too deeply") }
    guard let first = peek else { throw fault("the text ends within a value") }
    let start = line
    let content: JSONText.Content
    switch first {
    case UInt8(ascii: "{"): content = .object(try members(depth))
    case UInt8(ascii: "["): content = .array(try elements(depth))
    case UInt8(ascii: "\""): content = .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): content = .number(try number())
    case _: content = try word()
    }
    return JSONText.Value(line: start, content: content)
  }

  private mutating func members(_ depth: Int) throws(JSONText.Fault) -> [(name: String, value: JSONText.Value)] {
    offset += 1
    var members: [(name: String, value: JSONText.Value)] = []
    var names: Set<String> = []
    if takes("}") { return members }
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw fault("the name of a member is needed, in quotes") }
      let name = try string()
      guard names.insert(name).inserted else { throw fault("\"\(name)\" is there twice") }
      guard takes(":") else { throw fault("a colon is needed behind \"\(name)\"") }
      members.append((name, try value(depth: depth + 1)))
      if takes("}") { return members }
      guard takes(",") else { throw fault("a comma or } is needed behind the value of \"\(name)\"") }
    }
  }

  private mutating func elements(_ depth: Int) throws(JSONText.Fault) -> [JSONText.Value] {
    offset += 1
    var elements: [JSONText.Value] = []
    if takes("]") { return elements }
    while true {
      elements.append(try value(depth: depth + 1))
      if takes("]") { return elements }
      guard takes(",") else { throw fault("a comma or ] is needed") }
    }
  }

  private mutating func word() throws(JSONText.Fault) -> JSONText.Content {
    let start = offset
    while let byte = peek, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) { offset += 1 }
    switch String(decoding: bytes[start..<offset], as: UTF8.self) {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    case _: throw fault("is no JSON value")
    }
  }

  // MARK: Numbers and strings

  private mutating func number() throws(JSONText.Fault) -> String {
    let start = offset
    if peek == UInt8(ascii: "-") { offset += 1 }
    if peek == UInt8(ascii: "0") { offset += 1 } else { try digits() }
    if peek == UInt8(ascii: ".") {
      offset += 1
      try digits()
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      offset += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { offset += 1 }
      try digits()
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func digits() throws(JSONText.Fault) {
    let start = offset
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    guard offset > start else { throw fault("a digit is needed") }
  }

  private mutating func string() throws(JSONText.Fault) -> String {
    offset += 1
    var text: [UInt8] = []
    while let byte = peek {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else { throw fault("a string is not UTF-8") }
        return string
      case UInt8(ascii: "\\"): try escape(into: &text)
      case 0..<0x20: throw fault("a control character stands in a string")
      case _: text.append(byte)
      }
    }
    throw fault("the text ends within a string")
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONText.Fault) {
    let byte = peek
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte ?? 0)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): try text.append(contentsOf: String(scalar()).utf8)
    case _: throw fault("a backslash stands before something that it does not escape")
    }
  }

  private mutating func scalar() throws(JSONText.Fault) -> Character {
    var number = try fourDigits()
    if (0xD800..<0xDC00).contains(number) {
      guard peek == UInt8(ascii: "\\"), offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "u") else {
        throw fault("half of a surrogate pair")
      }
      offset += 2
      let low = try fourDigits()
      guard (0xDC00..<0xE000).contains(low) else { throw fault("half of a surrogate pair") }
      number = 0x10000 + (number - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(number) else { throw fault("half of a surrogate pair") }
    return Character(scalar)
  }

  private mutating func fourDigits() throws(JSONText.Fault) -> UInt32 {
    let end = min(offset + 4, bytes.count)
    let text = String(decoding: bytes[offset..<end], as: UTF8.self)
    guard text.utf8.count == 4, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let number = UInt32(text, radix: 16)
    else { throw fault("four hexadecimal digits are needed behind \\u") }
    offset = end
    return number
  }

  // MARK: Places

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func takes(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard peek == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek {
      switch byte {
      case 0x0A: line += 1
      case 0x20, 0x09, 0x0D: break
      case _: return
      }
      offset += 1
    }
  }

  private func fault(_ message: String) -> JSONText.Fault { .init(line: line, message) }
}
