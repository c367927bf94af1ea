internal import CEnergyProto
package import FoundationEssentials
package import ProtobufWire

package struct GetClientRequest: Hashable, Sendable {
  package let clientID: UUID

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__get_client_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    clientID = try arena.uuid(raw.pointee.client_id, field: "client_id")
  }
}
