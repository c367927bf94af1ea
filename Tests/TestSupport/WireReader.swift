/// Reads a message field by field, knowing nothing of its type: the tests' own reader, which shares nothing with what
/// encodes.
package struct WireReader {
  private enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private var fields: [(number: Int, value: Value)] = []

  /// `nil` where the bytes are no message.
  package init?(_ bytes: some Sequence<UInt8>) {
    var rest = ArraySlice(Array(bytes))
    while !rest.isEmpty {
      guard let tag = Self.varint(&rest), let value = Self.value(type: tag & 7, &rest) else { return nil }
      fields.append((Int(tag >> 3), value))
    }
  }

  private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var result: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      result |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return result }
    }
    return nil
  }

  private static func value(type: UInt64, _ bytes: inout ArraySlice<UInt8>) -> Value? {
    switch type {
    case 0: return varint(&bytes).map(Value.number)
    case 1:
      guard bytes.count >= 8 else { return nil }
      defer { bytes = bytes.dropFirst(8) }
      return .number(bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    case 2:
      guard let count = varint(&bytes), count <= bytes.count else { return nil }
      defer { bytes = bytes.dropFirst(Int(count)) }
      return .bytes(bytes.prefix(Int(count)))
    case _: return nil
    }
  }

  private func values(_ field: Int) -> [Value] { fields.filter { $0.number == field }.map(\.value) }

  package func texts(_ field: Int) -> [String] {
    values(field).compactMap { if case .bytes(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
  }

  /// Empty where the field is absent, as proto3 has it.
  package func text(_ field: Int) -> String { texts(field).last ?? "" }

  /// 0 where the field is absent.
  package func number(_ field: Int) -> Int64 {
    guard case .number(let bits)? = values(field).last else { return 0 }
    return Int64(bitPattern: bits)
  }

  package func messages(_ field: Int) -> [WireReader] {
    values(field).compactMap { if case .bytes(let bytes) = $0 { WireReader(bytes) } else { nil } }
  }

  package func message(_ field: Int) -> WireReader? { messages(field).last }
}
