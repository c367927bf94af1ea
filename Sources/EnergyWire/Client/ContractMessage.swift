internal import CEnergyProto
internal import CProtobufC
package import ProtobufWire

/// A message type of the contract, as the generated code describes it.
package struct ContractMessage {
  let descriptor: UnsafePointer<ProtobufCMessageDescriptor>

  init(_ descriptor: UnsafePointer<ProtobufCMessageDescriptor>) {
    self.descriptor = descriptor
  }

  /// - Parameter initialise: The generated `…__init` of the message.
  init<Raw>(_ initialise: (UnsafeMutablePointer<Raw>?) -> Void) {
    let found = withUnsafeTemporaryAllocation(of: Raw.self, capacity: 1) { buffer in
      initialise(buffer.baseAddress)
      return UnsafeRawPointer(buffer.baseAddress)?.load(as: ProtobufCMessage.self).descriptor
    }
    guard let found else { preconditionFailure("generated code describes its messages") }
    descriptor = found
  }

  /// For example `energykit.v1.ListVenuesResponse`.
  package var name: String { descriptor.pointee.name.map { String(cString: $0) } ?? "" }

  var fields: UnsafeBufferPointer<ProtobufCFieldDescriptor> {
    UnsafeBufferPointer(start: descriptor.pointee.fields, count: Int(descriptor.pointee.n_fields))
  }
}

/// A message that protobuf-c has unpacked, valid until the arena begins another.
package struct DecodedMessage {
  let arena: DecodeArena
  let raw: UnsafeMutablePointer<ProtobufCMessage>

  /// More than the longest page of a listing has at the top level of its message.
  private static let fieldLimit = 200_000

  package init(_ bytes: UnsafeRawBufferPointer, _ type: ContractMessage, arena: DecodeArena) throws(WireError) {
    try Self.checkTopLevel(of: bytes, type)
    arena.begin(messageByteCount: bytes.count)
    guard
      let raw = protobuf_c_message_unpack(
        type.descriptor, arena.allocator, bytes.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    self.arena = arena
    self.raw = raw
  }

  /// protobuf-c merges a message field that comes again by encoding anew what it has, which costs time and memory out of
  /// all proportion: no honest sender repeats one.
  private static func checkTopLevel(of bytes: UnsafeRawBufferPointer, _ type: ContractMessage) throws(WireError) {
    let single = Set(
      type.fields.filter { $0.label != PROTOBUF_C_LABEL_REPEATED && $0.type == PROTOBUF_C_TYPE_MESSAGE }.map(\.id))
    var seen: Set<UInt32> = []
    var count = 0
    var scanner = WireScanner()
    while let field = try scanner.next(in: bytes) {
      count += 1
      guard count <= fieldLimit else { throw .tooComplex }
      guard single.contains(field.number) else { continue }
      guard seen.insert(field.number).inserted else { throw .tooComplex }
    }
  }

  /// As the generated structure, which the caller knows it to be.
  func view<Raw>(_: Raw.Type) -> UnsafePointer<Raw> {
    UnsafePointer(UnsafeMutableRawPointer(raw).assumingMemoryBound(to: Raw.self))
  }

  /// The messages of a repeated field.
  func list<Raw, Value>(
    _ count: Int, _ pointers: UnsafeMutablePointer<UnsafeMutablePointer<Raw>?>?,
    _ read: (UnsafePointer<Raw>) throws(WireError) -> Value
  ) throws(WireError) -> [Value] {
    guard let pointers else { return [] }
    var values: [Value] = []
    values.reserveCapacity(count)
    for index in 0..<count {
      guard let pointer = pointers[index] else { continue }
      values.append(try read(UnsafePointer(pointer)))
    }
    return values
  }

  /// A message that the contract promises.
  func required<Raw>(_ pointer: UnsafeMutablePointer<Raw>?, _ field: String) throws(WireError) -> UnsafePointer<Raw> {
    guard let pointer else { throw .invalid(field, "is missing") }
    return UnsafePointer(pointer)
  }
}
