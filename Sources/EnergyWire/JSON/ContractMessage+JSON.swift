internal import CEnergyProto
internal import CProtobufC
internal import EnergyModel
internal import ProtobufWire

/// The other way: protobuf's JSON mapping to bytes. Both spellings of names are taken; what the type does not have is a
/// fault, so that a slip of the pen is no field left out.
extension ContractMessage {
  func encoded(_ json: JSONText.Value) throws(JSONText.Fault) -> [UInt8] {
    var sink = ByteSink()
    try encode(json, into: &sink)
    return sink.bytes
  }

  private func encode(_ json: JSONText.Value, into sink: inout ByteSink) throws(JSONText.Fault) {
    if try encodeWellKnown(json, into: &sink) { return }
    guard case .object(let members) = json.content else {
      throw .init(line: json.line, "an object is needed for \(name)")
    }
    var chosen: Set<UInt32> = []
    for (key, value) in members {
      guard let field = fields.first(where: { $0.hasName(key) }) else {
        throw .init(line: value.line, "\(name) has no field \"\(key)\"")
      }
      if case .null = value.content { continue }
      if field.isInOneof, !chosen.insert(field.quantifier_offset).inserted {
        throw .init(line: value.line, "\"\(key)\" excludes another field that is there")
      }
      guard field.label == PROTOBUF_C_LABEL_REPEATED else {
        try encode(value, field, into: &sink)
        continue
      }
      guard case .array(let elements) = value.content else {
        throw .init(line: value.line, "\"\(key)\" is a list")
      }
      for element in elements { try encode(element, field, into: &sink) }
    }
  }

  private func encode(
    _ value: JSONText.Value, _ field: ProtobufCFieldDescriptor, into sink: inout ByteSink
  ) throws(JSONText.Fault) {
    switch field.type {
    case PROTOBUF_C_TYPE_INT32: sink.present(Int64(try Self.integer(value, field, Int32.self)), field.id)
    case PROTOBUF_C_TYPE_INT64: sink.present(try Self.integer(value, field, Int64.self), field.id)
    case PROTOBUF_C_TYPE_UINT64:
      sink.present(Int64(bitPattern: try Self.integer(value, field, UInt64.self)), field.id)
    case PROTOBUF_C_TYPE_DOUBLE: sink.presentDouble(try Self.double(value, field), field.id)
    case PROTOBUF_C_TYPE_BOOL:
      guard case .bool(let flag) = value.content else { throw Self.fault(value, field, "must be true or false") }
      sink.present(flag ? 1 : 0, field.id)
    case PROTOBUF_C_TYPE_ENUM: sink.present(Int64(try Self.enumeration(value, field)), field.id)
    case PROTOBUF_C_TYPE_STRING:
      guard case .string(var text) = value.content else { throw Self.fault(value, field, "must be a string") }
      text.withUTF8 { sink.bytes(UnsafeRawBufferPointer($0), field.id) }
    case PROTOBUF_C_TYPE_MESSAGE:
      guard let type = field.descriptor?.assumingMemoryBound(to: ProtobufCMessageDescriptor.self) else { return }
      var inner = ByteSink()
      try ContractMessage(type).encode(value, into: &inner)
      inner.bytes.withUnsafeBytes { sink.bytes($0, field.id) }
    case _: throw Self.fault(value, field, "cannot be written as JSON")
    }
  }

  /// What the mapping writes in a way of its own. Returns `false` for everything else.
  private func encodeWellKnown(
    _ json: JSONText.Value, into sink: inout ByteSink
  ) throws(JSONText.Fault) -> Bool {
    switch name {
    case "google.protobuf.Timestamp":
      guard case .string(let text) = json.content, let time = Timestamp(rfc3339: text) else {
        throw .init(line: json.line, "a time is needed, like \"2026-11-30T23:07:22.123Z\"")
      }
      TimestampMessage(time).encode(to: &sink)
    case "google.protobuf.Duration":
      guard case .string(let text) = json.content, text.hasSuffix("s"), let seconds = Int64(text.dropLast()) else {
        throw .init(line: json.line, "a duration in whole seconds is needed, like \"3600s\"")
      }
      sink.integer(seconds, 1)
    case "google.protobuf.StringValue", "google.protobuf.BoolValue", "google.protobuf.DoubleValue":
      guard let field = fields.first else { return false }
      try encode(json, field, into: &sink)
    case _: return false
    }
    return true
  }

  // MARK: Scalars

  private static func integer<Number: FixedWidthInteger>(
    _ value: JSONText.Value, _ field: ProtobufCFieldDescriptor, _: Number.Type
  ) throws(JSONText.Fault) -> Number {
    let range = "must be a whole number from \(Number.min) to \(Number.max)"
    switch value.content {
    case .number(let text), .string(let text):
      if let number = Number(text) { return number }
      // 1e3 and 7.0 are whole as well.
      guard let number = Double(text).flatMap({ Number(exactly: $0) }) else { throw fault(value, field, range) }
      return number
    case .null, .bool, .array, .object: throw fault(value, field, range)
    }
  }

  private static func double(
    _ value: JSONText.Value, _ field: ProtobufCFieldDescriptor
  ) throws(JSONText.Fault) -> Double {
    guard case .number(let text) = value.content, let number = Double(text), number.isFinite else {
      throw fault(value, field, "must be a number")
    }
    return number
  }

  private static func enumeration(
    _ value: JSONText.Value, _ field: ProtobufCFieldDescriptor
  ) throws(JSONText.Fault) -> Int32 {
    if case .string(let text) = value.content {
      guard let number = field.enumNumber(of: text) else { throw fault(value, field, "does not know \"\(text)\"") }
      return number
    }
    return try integer(value, field, Int32.self)
  }

  private static func fault(
    _ value: JSONText.Value, _ field: ProtobufCFieldDescriptor, _ message: String
  ) -> JSONText.Fault {
    .init(line: value.line, "\"\(field.jsonName)\" \(message)")
  }
}

/// Bytes whose number nobody knows beforehand.
private struct ByteSink: WireSink {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ byte: UInt8) { bytes.append(byte) }
  mutating func append(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }

  /// Also where it is 0.
  mutating func presentDouble(_ value: Double, _ field: UInt32) {
    key(field, .fixed64)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { append($0) }
  }
}
