internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

package struct GetGuidanceRequest: Hashable, Sendable {
  package let venueID: UUID
  package let action: SuggestedAction
  package let explain: Bool
  /// The guidance that the caller holds already; `nil` where it holds none.
  package let knownToken: UUID?

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__get_guidance_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    venueID = try arena.uuid(raw.pointee.venue_id, field: "venue_id")
    action = try arena.action(raw.pointee.suggested_action)
    explain = raw.pointee.explain != 0
    knownToken = try arena.optionalUUID(raw.pointee.known_guidance_token, field: "known_guidance_token")
  }
}
