package import FoundationEssentials

// Foundation's own UUID parser takes 0.7 µs, thirty of which would cost more than the rest of a batch of load events;
// this one takes a few nanoseconds (docs/decisions/0002-uuid-text.md).
extension UUID {
  /// Characters in the text form: 8-4-4-4-12 hexadecimal digits.
  package static var textByteCount: Int { 36 }

  /// Reads 8-4-4-4-12 hexadecimal digits in either case, any version; `nil` for everything else.
  package init?(text bytes: UnsafeRawBufferPointer) {
    let hyphen = UInt8(ascii: "-")
    guard bytes.count == Self.textByteCount, bytes[8] == hyphen, bytes[13] == hyphen, bytes[18] == hyphen,
      bytes[23] == hyphen,
      let first = hexNumber(bytes.eightBytes(at: 0)),
      let second = hexNumber(bytes.fourBytes(at: 9) | bytes.fourBytes(at: 14) << 32),
      let third = hexNumber(bytes.fourBytes(at: 19) | bytes.fourBytes(at: 24) << 32),
      let fourth = hexNumber(bytes.eightBytes(at: 28))
    else { return nil }
    self.init(high: first << 32 | second, low: third << 32 | fourth)
  }

  package init?(text: some StringProtocol) {
    var copy = String(text)
    guard let parsed = copy.withUTF8({ UUID(text: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = parsed
  }

  /// The sixteen bytes as two big-endian numbers.
  package init(high: UInt64, low: UInt64) {
    let h = high.bigEndian
    let l = low.bigEndian
    self = unsafeBitCast((h, l), to: UUID.self)
  }

  /// The first eight bytes as a big-endian number.
  package var high: UInt64 { UInt64(bigEndian: unsafeBitCast(self, to: (UInt64, UInt64).self).0) }
  /// The last eight bytes as a big-endian number.
  package var low: UInt64 { UInt64(bigEndian: unsafeBitCast(self, to: (UInt64, UInt64).self).1) }

  /// Writes the 36 lower-case characters to the front of `buffer`, which must hold at least that many.
  package func writeText(to buffer: UnsafeMutableRawBufferPointer) {
    precondition(buffer.count >= Self.textByteCount)
    let high = self.high
    let low = self.low
    writeHex(high >> 32, digits: 8, to: buffer, at: 0)
    buffer[8] = UInt8(ascii: "-")
    writeHex(high >> 16, digits: 4, to: buffer, at: 9)
    buffer[13] = UInt8(ascii: "-")
    writeHex(high, digits: 4, to: buffer, at: 14)
    buffer[18] = UInt8(ascii: "-")
    writeHex(low >> 48, digits: 4, to: buffer, at: 19)
    buffer[23] = UInt8(ascii: "-")
    writeHex(low, digits: 12, to: buffer, at: 24)
  }

  /// Lower case, as ids are given out.
  package var text: String {
    String(unsafeUninitializedCapacity: Self.textByteCount) { buffer in
      writeText(to: UnsafeMutableRawBufferPointer(buffer))
      return Self.textByteCount
    }
  }
}

extension UnsafeRawBufferPointer {
  /// As a little-endian number: the first byte is the lowest.
  fileprivate func eightBytes(at offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  fileprivate func fourBytes(at offset: Int) -> UInt64 {
    UInt64(UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }
}

/// The number that eight hexadecimal digits make, the first in the lowest byte of `text`; `nil` where one is none.
/// Looks at all eight at once: the top bit of each byte is the answer to a question about that byte.
private func hexNumber(_ text: UInt64) -> UInt64? {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let tops: UInt64 = 0x80 * ones
  guard text & tops == 0 else { return nil }
  let lowered = text | (0x20 * ones)
  let isDigit = atLeast(text, 0x30) & ~atLeast(text, 0x3A)
  let isLetter = atLeast(lowered, 0x61) & ~atLeast(lowered, 0x67)
  guard (isDigit | isLetter) == tops else { return nil }
  // A letter's low four bits count from 1.
  var number = ((text & (0x0F * ones)) + 9 * (isLetter >> 7)).byteSwapped
  number = (number | number >> 4) & 0x00FF_00FF_00FF_00FF
  number = (number | number >> 8) & 0x0000_FFFF_0000_FFFF
  return (number | number >> 16) & 0xFFFF_FFFF
}

/// Sets the top bit of each byte of `text`, all below 0x80, that is `least` or more; no byte carries into the next.
private func atLeast(_ text: UInt64, _ least: UInt64) -> UInt64 {
  (text + (0x80 - least) * 0x0101_0101_0101_0101) & 0x8080_8080_8080_8080
}

private let hexDigit: [UInt8] = Array("0123456789abcdef".utf8)

/// Writes the lowest `digits` hexadecimal digits of `value`, most significant first.
private func writeHex(_ value: UInt64, digits: Int, to buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
  var rest = value
  for position in (offset..<offset + digits).reversed() {
    buffer[position] = hexDigit[Int(rest & 15)]
    rest >>= 4
  }
}
