internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

package struct CreateClientRequest: Hashable, Sendable {
  /// `nil`: the server makes one.
  package let clientID: UUID?
  package let name: String
  package let entitlements: Set<Entitlement>

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__create_client_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    clientID = try arena.optionalUUID(raw.pointee.client_id, field: "client_id")
    name = try arena.name(raw.pointee.name)
    entitlements = try arena.entitlements(raw.pointee.entitlements, count: raw.pointee.n_entitlements)
  }
}
