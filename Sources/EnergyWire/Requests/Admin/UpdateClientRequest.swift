internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

/// What is `nil` stays as it is.
package struct UpdateClientRequest: Hashable, Sendable {
  package let clientID: UUID
  package let name: String?
  package let entitlements: Set<Entitlement>?
  package let isDisabled: Bool?

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__update_client_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    clientID = try arena.uuid(raw.pointee.client_id, field: "client_id")
    name = if let name = raw.pointee.name { try arena.name(name.pointee.value) } else { nil }
    let listed = try arena.entitlements(raw.pointee.entitlements, count: raw.pointee.n_entitlements)
    if raw.pointee.replace_entitlements != 0 {
      entitlements = listed
    } else {
      guard listed.isEmpty else {
        throw .invalid("entitlements", "are looked at only with replace_entitlements")
      }
      entitlements = nil
    }
    isDisabled = arena.isSet(raw.pointee.disabled)
  }
}
