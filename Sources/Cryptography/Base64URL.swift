/// Base 64 with `-` and `_`, without padding (RFC 4648 §5): 32 bytes make 43 characters.
package enum Base64URL {
  package static func text(of bytes: [UInt8]) -> String {
    var characters: [UInt8] = []
    characters.reserveCapacity((bytes.count * 4 + 2) / 3)
    var pending: UInt32 = 0
    var pendingBits: UInt32 = 0
    for byte in bytes {
      pending = pending << 8 | UInt32(byte)
      pendingBits += 8
      while pendingBits >= 6 {
        pendingBits -= 6
        characters.append(alphabet[Int(pending >> pendingBits & 63)])
      }
    }
    if pendingBits > 0 { characters.append(alphabet[Int(pending << (6 - pendingBits) & 63)]) }
    return String(decoding: characters, as: UTF8.self)
  }

  /// `nil` unless `text` is exactly what `text(of:)` makes of some bytes: no padding, no white space, unused bits zero.
  package static func bytes(of text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var pending: UInt32 = 0
    var pendingBits: UInt32 = 0
    for character in text.utf8 {
      guard let value = value(of: character) else { return nil }
      pending = (pending << 6 | value) & 0xffff
      pendingBits += 6
      if pendingBits >= 8 {
        pendingBits -= 8
        bytes.append(UInt8(truncatingIfNeeded: pending >> pendingBits))
      }
    }
    guard pendingBits < 6, pending & ((1 << pendingBits) - 1) == 0 else { return nil }
    return bytes
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
