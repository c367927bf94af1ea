internal import CEnergyProto
internal import CProtobufC
internal import EnergyModel
internal import ProtobufWire

/// By protobuf's JSON mapping: names in lowerCamelCase, 64-bit numbers as strings, enums by name, times by RFC 3339, in
/// the order of the fields' numbers. Fields without presence are there also where they have their default.
extension DecodedMessage {
  /// One line, in ASCII.
  package func json() throws(WireError) -> String { try JSONWriter(arena: arena).object(raw) }

  /// Each message of a repeated field of this one; none where there is no such field.
  package func jsonItems(of name: String) throws(WireError) -> [String] {
    let writer = JSONWriter(arena: arena)
    guard let field = raw.pointee.fields.first(where: { $0.hasName(name) }), field.label == PROTOBUF_C_LABEL_REPEATED
    else { return [] }
    return try writer.elements(UnsafeRawPointer(raw), field)
  }
}

private struct JSONWriter {
  let arena: DecodeArena

  func object(_ message: UnsafeMutablePointer<ProtobufCMessage>) throws(WireError) -> String {
    let base = UnsafeRawPointer(message)
    if let special = try wellKnown(base, message.pointee.typeName) { return special }
    var members: [String] = []
    for field in message.pointee.fields {
      guard let value = try member(base, field) else { continue }
      members.append("\(JSONText.quoted(field.jsonName)):\(value)")
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// `nil` where the field is not there.
  private func member(_ base: UnsafeRawPointer, _ field: ProtobufCFieldDescriptor) throws(WireError) -> String? {
    if field.label == PROTOBUF_C_LABEL_REPEATED {
      return "[\(try elements(base, field).joined(separator: ","))]"
    }
    if field.isInOneof {
      let chosen = base.load(fromByteOffset: Int(field.quantifier_offset), as: UInt32.self)
      guard chosen == field.id else { return nil }
    }
    return try value(base + Int(field.offset), field)
  }

  func elements(_ base: UnsafeRawPointer, _ field: ProtobufCFieldDescriptor) throws(WireError) -> [String] {
    let count = base.load(fromByteOffset: Int(field.quantifier_offset), as: Int.self)
    guard count > 0, let list = base.load(fromByteOffset: Int(field.offset), as: UnsafeRawPointer?.self) else {
      return []
    }
    var elements: [String] = []
    for index in 0..<count {
      elements.append(try value(list + index * field.elementByteCount, field) ?? "null")
    }
    return elements
  }

  private func value(_ place: UnsafeRawPointer, _ field: ProtobufCFieldDescriptor) throws(WireError) -> String? {
    switch field.type {
    case PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_SINT32, PROTOBUF_C_TYPE_SFIXED32:
      return String(place.load(as: Int32.self))
    case PROTOBUF_C_TYPE_UINT32, PROTOBUF_C_TYPE_FIXED32: return String(place.load(as: UInt32.self))
    case PROTOBUF_C_TYPE_INT64, PROTOBUF_C_TYPE_SINT64, PROTOBUF_C_TYPE_SFIXED64:
      return "\"\(place.load(as: Int64.self))\""
    case PROTOBUF_C_TYPE_UINT64, PROTOBUF_C_TYPE_FIXED64: return "\"\(place.load(as: UInt64.self))\""
    case PROTOBUF_C_TYPE_DOUBLE: return number(place.load(as: Double.self))
    case PROTOBUF_C_TYPE_BOOL: return place.load(as: Int32.self) != 0 ? "true" : "false"
    case PROTOBUF_C_TYPE_ENUM:
      let number = place.load(as: Int32.self)
      return field.enumName(of: number).map(JSONText.quoted) ?? String(number)
    case PROTOBUF_C_TYPE_STRING:
      return JSONText.quoted(try arena.text(of: place.load(as: UnsafeMutablePointer<CChar>?.self)))
    case PROTOBUF_C_TYPE_MESSAGE:
      guard let message = place.load(as: UnsafeMutablePointer<ProtobufCMessage>?.self) else { return nil }
      return try object(message)
    case _: return nil
    }
  }

  /// What the mapping writes in a way of its own.
  private func wellKnown(_ base: UnsafeRawPointer, _ type: String) throws(WireError) -> String? {
    guard type.hasPrefix("google.protobuf."), let message = ContractMessage(base).fields.first else { return nil }
    let place = base + Int(message.offset)
    switch type {
    case "google.protobuf.Timestamp":
      guard
        let time = Timestamp(
          UnsafeMutableRawPointer(mutating: base).assumingMemoryBound(to: Google__Protobuf__Timestamp.self))
      else { return "null" }
      return "\"\(time.rfc3339)\""
    case "google.protobuf.Duration":
      let nanos = ContractMessage(base).fields.last.map { base.load(fromByteOffset: Int($0.offset), as: Int32.self) }
      return "\"\(duration(place.load(as: Int64.self), nanos ?? 0))\""
    case "google.protobuf.StringValue", "google.protobuf.BoolValue", "google.protobuf.DoubleValue":
      return try value(place, message)
    case _: return nil
    }
  }

  private func duration(_ seconds: Int64, _ nanos: Int32) -> String {
    let sign = seconds < 0 || nanos < 0 ? "-" : ""
    let milliseconds = String(nanos.magnitude / 1_000_000)
    let fraction = String(repeating: "0", count: max(0, 3 - milliseconds.utf8.count)) + milliseconds
    return "\(sign)\(seconds.magnitude)\(nanos.magnitude < 1_000_000 ? "" : ".\(fraction)")s"
  }

  private func number(_ value: Double) -> String {
    if value.isNaN { return "\"NaN\"" }
    if value.isInfinite { return value > 0 ? "\"Infinity\"" : "\"-Infinity\"" }
    // Whole numbers as such.
    if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return String(whole) }
    return value.description
  }
}

extension ContractMessage {
  /// Of an unpacked message.
  fileprivate init(_ message: UnsafeRawPointer) {
    self.init(message.load(as: UnsafePointer<ProtobufCMessageDescriptor>.self))
  }
}

extension ProtobufCMessage {
  fileprivate var typeName: String { descriptor.map { ContractMessage($0).name } ?? "" }

  fileprivate var fields: [ProtobufCFieldDescriptor] {
    descriptor.map { Array(ContractMessage($0).fields) } ?? []
  }
}

extension ProtobufCFieldDescriptor {
  var protoName: String { name.map { String(cString: $0) } ?? "" }

  /// In lowerCamelCase.
  var jsonName: String {
    var result = ""
    var isStart = false
    for character in protoName {
      if character == "_" {
        isStart = true
      } else {
        result += isStart ? character.uppercased() : String(character)
        isStart = false
      }
    }
    return result
  }

  /// Either spelling is good.
  func hasName(_ text: String) -> Bool { text == protoName || text == jsonName }

  var isInOneof: Bool { flags & UInt32(PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue) != 0 }

  /// Of a repeated field.
  var elementByteCount: Int {
    switch type {
    case PROTOBUF_C_TYPE_INT64, PROTOBUF_C_TYPE_SINT64, PROTOBUF_C_TYPE_SFIXED64, PROTOBUF_C_TYPE_UINT64,
      PROTOBUF_C_TYPE_FIXED64, PROTOBUF_C_TYPE_DOUBLE, PROTOBUF_C_TYPE_STRING, PROTOBUF_C_TYPE_MESSAGE:
      8
    case PROTOBUF_C_TYPE_BYTES: 16
    case _: 4
    }
  }

  /// Of an enum field: the name of a value; `nil` where it has none.
  func enumName(of number: Int32) -> String? {
    guard let type = descriptor?.assumingMemoryBound(to: ProtobufCEnumDescriptor.self),
      let value = protobuf_c_enum_descriptor_get_value(type, number), let name = value.pointee.name
    else { return nil }
    return String(cString: name)
  }

  /// Of an enum field: the value of a name.
  func enumNumber(of name: String) -> Int32? {
    guard let type = descriptor?.assumingMemoryBound(to: ProtobufCEnumDescriptor.self) else { return nil }
    return protobuf_c_enum_descriptor_get_value_by_name(type, name)?.pointee.value
  }
}
