internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

package struct SetVenueAccessRequest: Hashable, Sendable {
  package let venueID: UUID
  package let clientID: UUID
  package let access: VenueAccess

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__set_venue_access_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    venueID = try arena.uuid(raw.pointee.venue_id, field: "venue_id")
    clientID = try arena.uuid(raw.pointee.client_id, field: "client_id")
    guard let access = UInt8(exactly: raw.pointee.access.rawValue).flatMap(VenueAccess.init(rawValue:)) else {
      throw .invalid("access", "must be NONE, GRANTED, DENIED or RESTRICTED")
    }
    self.access = access
  }
}
