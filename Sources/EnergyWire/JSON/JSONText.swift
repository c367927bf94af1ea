/// JSON (RFC 8259) as text: what people and their scripts write and read.
package enum JSONText {
  /// A value and the line that it begins on, counted from 1.
  package struct Value: Sendable {
    package let line: Int
    package let content: Content

    package init(line: Int, content: Content) {
      self.line = line
      self.content = content
    }

    /// The value of a member; `nil` where this is no object, or has none of that name.
    package func member(_ name: String) -> Value? {
      guard case .object(let members) = content else { return nil }
      return members.first { $0.name == name }?.value
    }
  }

  package indirect enum Content: Sendable {
    case null
    case bool(Bool)
    /// As it was written, so that nothing of 64 bits is lost.
    case number(String)
    case string(String)
    case array([Value])
    /// In order, names unique.
    case object([(name: String, value: Value)])
  }

  /// What is wrong, and where.
  package struct Fault: Error, Hashable, Sendable {
    package let line: Int
    package let message: String

    package init(line: Int, _ message: String) {
      self.line = line
      self.message = message
    }
  }

  /// Quoted, in ASCII whatever it holds.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for unit in text.utf16 {
      switch unit {
      case 0x22: result += "\\\""
      case 0x5C: result += "\\\\"
      case 0x0A: result += "\\n"
      case 0x09: result += "\\t"
      case 0x20...0x7E: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      case _:
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      }
    }
    return result + "\""
  }
}
