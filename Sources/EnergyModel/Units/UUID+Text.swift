package import FoundationEssentials

// Foundation's own UUID parser takes 0.7 µs, thirty of which would cost more than the rest of a batch of load events;
// this one takes a few nanoseconds (docs/decisions/0002-uuid-text.md).
extension UUID {
  /// Characters in the text form: 8-4-4-4-12 hexadecimal digits.
  package static var textByteCount: Int { 36 }

  /// Reads 8-4-4-4-12 hexadecimal digits in either case, any version; `nil` for everything else.
  package init?(text bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.textByteCount else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    var digits = 0
    for (index, byte) in bytes.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit = hexValue[Int(byte)]
      guard digit < 16 else { return nil }
      if digits < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
      digits += 1
    }
    self.init(high: high, low: low)
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

  /// Lower case, as ids are given out (DESIGN §5).
  package var text: String {
    String(unsafeUninitializedCapacity: Self.textByteCount) { buffer in
      writeText(to: UnsafeMutableRawBufferPointer(buffer))
      return Self.textByteCount
    }
  }
}

/// Value of a hexadecimal digit by its ASCII code, 255 for every other byte.
private let hexValue: [UInt8] = (0...255 as ClosedRange<UInt8>).map { byte in
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: 255
  }
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
