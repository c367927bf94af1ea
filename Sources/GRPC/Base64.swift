/// Base64 of the standard alphabet (RFC 4648 §4), as `-bin` header values use it (G-043): read with or without padding,
/// written without.
package enum Base64 {
  /// Length of `byteCount` bytes, encoded.
  package static func encodedByteCount(_ byteCount: Int) -> Int { (byteCount * 4 + 2) / 3 }

  package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    var pending: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      pending = (pending & 0x3F) << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(symbol(UInt8(truncatingIfNeeded: pending >> bits) & 0x3F))
      }
    }
    if bits > 0 { text.append(symbol(UInt8(truncatingIfNeeded: pending << (6 - bits)) & 0x3F)) }
  }

  /// `nil` where a byte is not of the alphabet, or the length or the padding is wrong.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    let padding = text.suffix(2).filter { $0 == UInt8(ascii: "=") }.count
    guard padding == 0 || text.count % 4 == 0 else { return nil }
    let digits = text.dropLast(padding)
    guard digits.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count * 3 / 4)
    var pending: UInt32 = 0
    var bits: UInt32 = 0
    for digit in digits {
      guard let value = value(digit) else { return nil }
      pending = (pending & 0x3F) << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
      }
    }
    return bytes
  }

  static func symbol(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: UInt8(ascii: "A") + value
    case 26..<52: UInt8(ascii: "a") + (value - 26)
    case 52..<62: UInt8(ascii: "0") + (value - 52)
    case 62: UInt8(ascii: "+")
    case _: UInt8(ascii: "/")
    }
  }

  static func value(_ symbol: UInt8) -> UInt8? {
    switch symbol {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): symbol - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): symbol - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): symbol - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    case _: nil
    }
  }
}
