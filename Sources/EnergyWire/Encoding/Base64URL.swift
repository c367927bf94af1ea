internal import GRPC

/// RFC 4648 §5, without padding.
enum Base64URL {
  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(Base64.encodedByteCount(bytes.count))
    Base64.append(bytes, to: &text)
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "+"): text[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"): text[index] = UInt8(ascii: "_")
      case _: break
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// `nil` for whatever `encode` does not write: each byte string has one text.
  static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    let standard = text.map { character in
      switch character {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      case _: character
      }
    }
    guard let bytes = Base64.decode(standard), encode(bytes).utf8.elementsEqual(text) else { return nil }
    return bytes
  }
}
