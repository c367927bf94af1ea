internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

package struct StreamGuidanceRequest: Hashable, Sendable {
  package let venueID: UUID
  package let action: SuggestedAction
  /// The guidance that the caller holds already; `nil` where it holds none.
  package let knownToken: UUID?

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__stream_guidance_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    venueID = try arena.uuid(raw.pointee.venue_id, field: "venue_id")
    action = try arena.action(raw.pointee.suggested_action)
    knownToken = try arena.optionalUUID(raw.pointee.known_guidance_token, field: "known_guidance_token")
  }
}
