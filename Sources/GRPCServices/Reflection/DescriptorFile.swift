internal import CGRPCProto

/// One .proto file as reflection needs it: its descriptor's bytes, what it imports and what it defines.
struct DescriptorFile: Sendable {
  struct Extension: Sendable {
    /// The full name of the message that is extended.
    let type: String
    let number: Int32
  }

  let name: String
  /// A serialised google.protobuf.FileDescriptorProto.
  let bytes: [UInt8]
  let imports: [String]
  /// Full names of services, methods, messages, fields, oneofs, enums, their values and extensions.
  private(set) var symbols: [String] = []
  private(set) var extensions: [Extension] = []

  /// `nil` where the bytes are no FileDescriptorProto.
  init?(_ bytes: [UInt8]) {
    guard let raw = google__protobuf__file_descriptor_proto__unpack(nil, bytes.count, bytes) else { return nil }
    defer { google__protobuf__file_descriptor_proto__free_unpacked(raw, nil) }
    let file = raw.pointee
    guard let name = file.name else { return nil }
    self.name = String(cString: name)
    self.bytes = bytes
    imports = list(file.dependency, file.n_dependency).map { String(cString: $0) }
    let package = file.package.map { String(cString: $0) } ?? ""
    for message in list(file.message_type, file.n_message_type) { add(message.pointee, in: package) }
    for type in list(file.enum_type, file.n_enum_type) { add(type.pointee, in: package) }
    for service in list(file.service, file.n_service) { add(service.pointee, in: package) }
    for each in list(file.extension, file.n_extension) { addExtension(each.pointee, in: package) }
  }

  private mutating func add(_ message: Google__Protobuf__DescriptorProto, in scope: String) {
    let name = define(message.name, in: scope)
    for field in list(message.field, message.n_field) { define(field.pointee.name, in: name) }
    for oneof in list(message.oneof_decl, message.n_oneof_decl) { define(oneof.pointee.name, in: name) }
    for nested in list(message.nested_type, message.n_nested_type) { add(nested.pointee, in: name) }
    for type in list(message.enum_type, message.n_enum_type) { add(type.pointee, in: name) }
    for each in list(message.extension, message.n_extension) { addExtension(each.pointee, in: name) }
  }

  /// The values of an enum stand beside it, not within it, as in C++.
  private mutating func add(_ type: Google__Protobuf__EnumDescriptorProto, in scope: String) {
    define(type.name, in: scope)
    for value in list(type.value, type.n_value) { define(value.pointee.name, in: scope) }
  }

  private mutating func add(_ service: Google__Protobuf__ServiceDescriptorProto, in scope: String) {
    let name = define(service.name, in: scope)
    for method in list(service.method, service.n_method) { define(method.pointee.name, in: name) }
  }

  private mutating func addExtension(_ field: Google__Protobuf__FieldDescriptorProto, in scope: String) {
    define(field.name, in: scope)
    guard let type = field.extendee else { return }
    // Written as `.package.Type`.
    extensions.append(Extension(type: String(String(cString: type).drop { $0 == "." }), number: field.number))
  }

  /// Returns the full name.
  @discardableResult
  private mutating func define(_ name: UnsafeMutablePointer<CChar>?, in scope: String) -> String {
    let name = name.map { String(cString: $0) } ?? ""
    let full = scope.isEmpty ? name : "\(scope).\(name)"
    symbols.append(full)
    return full
  }
}

/// The elements of a repeated field of protobuf-c.
private func list<Element>(
  _ start: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>?, _ count: Int
)
  -> [UnsafeMutablePointer<Element>]
{
  UnsafeBufferPointer(start: start, count: count).compactMap { $0 }
}
