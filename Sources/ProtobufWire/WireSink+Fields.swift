/// The wire types that are written: what follows a field's number (protobuf, "Encoding").
package enum WireKind: UInt64 {
  case varint = 0
  case fixed64 = 1
  case lengthDelimited = 2
}

extension WireSink {
  @inlinable package mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  @inlinable package mutating func key(_ field: UInt32, _ kind: WireKind) {
    varint(UInt64(field) << 3 | kind.rawValue)
  }

  /// int32, int64 or an enum.
  @inlinable package mutating func integer(_ value: Int64, _ field: UInt32) {
    guard value != 0 else { return }
    key(field, .varint)
    varint(UInt64(bitPattern: value))
  }

  @inlinable package mutating func integer(_ value: Int, _ field: UInt32) { integer(Int64(value), field) }

  @inlinable package mutating func bool(_ value: Bool, _ field: UInt32) { integer(value ? 1 : 0, field) }

  @inlinable package mutating func double(_ value: Double, _ field: UInt32) {
    guard value.bitPattern != 0 else { return }
    key(field, .fixed64)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { append($0) }
  }

  @inlinable package mutating func bytes(_ bytes: UnsafeRawBufferPointer, _ field: UInt32) {
    key(field, .lengthDelimited)
    varint(UInt64(bytes.count))
    append(bytes)
  }

  @inlinable package mutating func string(_ text: String, _ field: UInt32) {
    guard !text.isEmpty else { return }
    var copy = text
    copy.withUTF8 { bytes(UnsafeRawBufferPointer($0), field) }
  }

  /// Also where the message is empty.
  @inlinable package mutating func message(_ message: some WireMessage, _ field: UInt32) {
    key(field, .lengthDelimited)
    varint(UInt64(message.encodedByteCount))
    message.encode(to: &self)
  }

  @inlinable package mutating func message(_ message: (some WireMessage)?, _ field: UInt32) {
    if let message { self.message(message, field) }
  }

  /// The head of a message field whose `byteCount` bytes follow.
  @inlinable package mutating func messageHead(byteCount: Int, _ field: UInt32) {
    key(field, .lengthDelimited)
    varint(UInt64(byteCount))
  }
}
