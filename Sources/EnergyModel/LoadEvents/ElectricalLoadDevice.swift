package enum DeviceType: UInt8, Hashable, Sendable {
  case electricVehicle = 1
  case hvac = 2
}

/// A device's identity (Apple: `ElectricalLoadDevice`).
package struct ElectricalLoadDevice: Hashable, Sendable {
  package let id: DeviceID
  /// 1...250 UTF-16 units. What breaks the rules is replaced by `init`, not refused.
  package let name: String
  package let type: DeviceType

  package init(id: DeviceID, name: String, type: DeviceType) {
    self.id = id
    self.name = DeviceName.sanitised(name, fallback: id.text)
    self.type = type
  }
}

/// A device id that keeps Apple's rule: 1...64 bytes of ASCII letters and digits, space, hyphen and apostrophe, the
/// first and the last a letter or digit.
package struct DeviceID: Hashable, Sendable {
  package let text: String

  /// Returns `nil` where the rule is broken.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard Self.isValid(bytes) else { return nil }
    self.text = String(decoding: bytes, as: UTF8.self)
  }

  package init?(_ text: String) {
    var copy = text
    guard copy.withUTF8({ Self.isValid(UnsafeRawBufferPointer($0)) }) else { return nil }
    self.text = text
  }

  package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard (1...64).contains(bytes.count), let first = bytes.first, let last = bytes.last else { return false }
    return isAlphanumeric(first) && isAlphanumeric(last) && bytes.allSatisfy { isAlphanumeric($0) || isInner($0) }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  private static func isInner(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "'")
  }
}

/// The rule for device names: letters, marks, numbers, white space, punctuation and symbols, at most 250 UTF-16 units.
package enum DeviceName {
  package static let maximumUTF16Count = 250

  /// Forbidden characters become spaces, runs of spaces one; trimmed, cut at 250 UTF-16 units without splitting a
  /// character; empty becomes `fallback` (docs/architecture.md, Load events).
  package static func sanitised(_ name: String, fallback: String) -> String {
    if isPlain(name) { return name }
    var result = ""
    var units = 0
    var spacePending = false
    for character in name {
      guard character.unicodeScalars.allSatisfy(isAllowed), !character.isWhitespace else {
        spacePending = !result.isEmpty
        continue
      }
      let needed = character.utf16.count + (spacePending ? 1 : 0)
      guard units + needed <= maximumUTF16Count else { break }
      if spacePending { result.append(" ") }
      result.append(character)
      units += needed
      spacePending = false
    }
    return result.isEmpty ? fallback : result
  }

  /// Whether the rules change nothing for certain, as for most names: printable ASCII, not too long, no two spaces in a
  /// row, none at the ends.
  private static func isPlain(_ name: String) -> Bool {
    var copy = name
    return copy.withUTF8 { bytes in
      guard (1...maximumUTF16Count).contains(bytes.count) else { return false }
      var last = UInt8(ascii: " ")
      for byte in bytes {
        let isSpace = byte == UInt8(ascii: " ")
        guard (0x20..<0x7F).contains(byte), !(isSpace && last == byte) else { return false }
        last = byte
      }
      return last != UInt8(ascii: " ")
    }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      scalar == "\u{200D}"  // joins emoji into one character
    default: true
    }
  }
}
