/// Walks the fields at the top level of a message without unpacking any: to count before memory is spent, and
/// to hand out repeated messages one by one.
///
/// Holds a position, not the bytes: those are passed in, so that a walk can be paused and go on over a copy.
struct WireScanner {
  private(set) var offset = 0

  /// A field's number and where its payload lies: for strings and messages the content, for numbers the encoded bytes.
  struct Field {
    let number: UInt32
    let type: WireType
    let payload: Range<Int>
    /// A varint's value; 0 for the other types.
    let value: UInt64
  }

  /// Groups, 3 and 4, are not among them: protobuf-c refuses these too.
  enum WireType: UInt8 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case fixed32 = 5
  }

  /// The next field; `nil` at the end of `message`. Throws `unparsable`.
  mutating func next(in message: UnsafeRawBufferPointer) throws(WireError) -> Field? {
    guard offset < message.count else { return nil }
    let key = try varint(in: message)
    guard let number = UInt32(exactly: key >> 3), (1...0x1FFF_FFFF).contains(number),
      let type = WireType(rawValue: UInt8(key & 7))
    else { throw .unparsable }
    var value: UInt64 = 0
    let length: Int
    var start = offset
    switch type {
    case .varint:
      value = try varint(in: message)
      length = offset - start
      offset = start
    case .fixed64: length = 8
    case .fixed32: length = 4
    case .lengthDelimited:
      let count = try varint(in: message)
      start = offset
      length = Int(exactly: count) ?? .max
    }
    guard length <= message.count - start else { throw .unparsable }
    offset = start + length
    return Field(number: number, type: type, payload: start..<offset, value: value)
  }

  private mutating func varint(in message: UnsafeRawBufferPointer) throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < message.count, shift < 70 {
      let byte = message[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw .unparsable
  }
}

extension WireScanner {
  /// Refuses a message with more top-level fields than `limit`, and one that is cut or garbled at that level.
  static func check(_ message: UnsafeRawBufferPointer, fieldLimit limit: Int) throws(WireError) {
    var scanner = WireScanner()
    var count = 0
    while try scanner.next(in: message) != nil {
      count += 1
      guard count <= limit else { throw .tooComplex }
    }
  }
}
