internal import CEnergyProto
package import FoundationEssentials
package import ProtobufWire

package struct DeleteVenueRequest: Hashable, Sendable {
  package let venueID: UUID

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__delete_venue_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    venueID = try arena.uuid(raw.pointee.venue_id, field: "venue_id")
  }
}
