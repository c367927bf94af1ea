/// Reads base64 (RFC 4648 §4) that comes in pieces, cut anywhere: several padded texts behind each other are one
/// sequence of bytes, as `application/grpc-web-text` has it (gRPC-Web, "Protocol differences").
package struct Base64Decoder: Hashable, Sendable {
  package enum Fault: Error, Hashable, Sendable {
    /// A byte that is neither of the alphabet nor padding in its place.
    case unexpected(UInt8)
  }

  /// Of the four digits that belong together, those that came.
  private var digits: UInt32 = 0
  private var digitCount: UInt8 = 0
  private var paddingCount: UInt8 = 0

  package init() {}

  /// Whether no part of a group of four waits for the rest.
  package var isAtBoundary: Bool { digitCount == 0 && paddingCount == 0 }

  /// The most bytes that `count` digits more make.
  package func maximumByteCount(of count: Int) -> Int { count / 4 * 3 + 3 }

  /// Decodes `text` into `buffer`, which has `maximumByteCount(of:)` bytes; returns how many there are.
  package mutating func decode(
    _ text: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int {
    var count = 0
    for byte in text {
      if byte == UInt8(ascii: "=") {
        guard digitCount >= 2 else { throw .unexpected(byte) }
        paddingCount += 1
      } else {
        guard paddingCount == 0, let value = Base64.value(byte) else { throw .unexpected(byte) }
        digits = digits << 6 | UInt32(value)
        digitCount += 1
      }
      guard digitCount + paddingCount == 4 else { continue }
      digits <<= 6 * UInt32(paddingCount)
      for index in 0..<Int(3 - paddingCount) {
        buffer[count] = UInt8(truncatingIfNeeded: digits >> (16 - 8 * UInt32(index)))
        count += 1
      }
      self = Base64Decoder()
    }
    return count
  }
}

extension Base64 {
  /// Length of `byteCount` bytes, encoded with padding.
  package static func paddedByteCount(_ byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

  /// Fills `text`, which has `paddedByteCount` bytes, padding included.
  package static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
    var place = 0
    var index = 0
    while index < bytes.count {
      let rest = bytes.count - index
      let second = rest > 1 ? bytes[index + 1] : 0
      let third = rest > 2 ? bytes[index + 2] : 0
      let group = UInt32(bytes[index]) << 16 | UInt32(second) << 8 | UInt32(third)
      text[place] = symbol(UInt8(truncatingIfNeeded: group >> 18) & 0x3F)
      text[place + 1] = symbol(UInt8(truncatingIfNeeded: group >> 12) & 0x3F)
      text[place + 2] = rest > 1 ? symbol(UInt8(truncatingIfNeeded: group >> 6) & 0x3F) : UInt8(ascii: "=")
      text[place + 3] = rest > 2 ? symbol(UInt8(truncatingIfNeeded: group) & 0x3F) : UInt8(ascii: "=")
      place += 4
      index += 3
    }
  }
}
