/// Encodes by hand what no serialiser would: the tests' own writer, which shares nothing with the one under test.
package struct WireBuilder {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package init(_ build: (inout WireBuilder) -> Void) { build(&self) }

  package mutating func varint(_ value: UInt64) {
    var rest = value
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
  }

  package mutating func number(_ field: Int, _ value: Int64) {
    varint(UInt64(field) << 3)
    varint(UInt64(bitPattern: value))
  }

  package mutating func double(_ field: Int, _ value: Double) {
    varint(UInt64(field) << 3 | 1)
    bytes.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) })
  }

  package mutating func data(_ field: Int, _ content: [UInt8]) {
    varint(UInt64(field) << 3 | 2)
    varint(UInt64(content.count))
    bytes += content
  }

  package mutating func text(_ field: Int, _ content: String) { data(field, Array(content.utf8)) }

  package mutating func message(_ field: Int, _ build: (inout WireBuilder) -> Void) {
    var inner = WireBuilder()
    build(&inner)
    data(field, inner.bytes)
  }

  package mutating func raw(_ content: [UInt8]) { bytes += content }
}

/// The bytes of a vector.
package func bytes(hex: String) -> [UInt8] {
  let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
