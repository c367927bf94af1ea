/// The encoding of `grpc-message` (gRPC over HTTP2, "Status-Message"; G-067): UTF-8 with every byte outside 0x20...0x7E,
/// and `%` itself, as `%XX` in upper-case hexadecimal.
package enum PercentEncoding {
  /// Appends `text`, encoded, in at most `maximum` bytes: what does not fit is cut between two characters (Unicode
  /// scalars), so that the rest stays valid.
  package static func append(_ text: String, to bytes: inout [UInt8], maximum: Int = .max) {
    let start = bytes.count
    var lastBoundary = start
    for byte in text.utf8 {
      if byte & 0xC0 != 0x80 { lastBoundary = bytes.count }
      if (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "%") {
        bytes.append(byte)
      } else {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(hexadecimal(byte >> 4))
        bytes.append(hexadecimal(byte & 0xF))
      }
      if bytes.count - start > maximum {
        bytes.removeLast(bytes.count - lastBoundary)
        return
      }
    }
  }

  /// The text; what is no valid encoding is taken as it stands, as the gRPC document asks of readers.
  package static func decode(_ bytes: UnsafeRawBufferPointer) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%"), index + 2 < bytes.count, let high = value(bytes[index + 1]),
        let low = value(bytes[index + 2])
      {
        text.append(high << 4 | low)
        index += 3
      } else {
        text.append(byte)
        index += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func hexadecimal(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + (nibble - 10)
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case _: nil
    }
  }
}
