internal import CEnergyProto
package import FoundationEssentials
package import ProtobufWire

package struct GetVenueRequest: Hashable, Sendable {
  package let key: Key

  package enum Key: Hashable, Sendable {
    case venueID(UUID)
    /// The id of the matching home in the caller's home system.
    case homeID(UUID)
  }

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__get_venue_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    switch raw.pointee.key_case {
    case ENERGYKIT__V1__GET_VENUE_REQUEST__KEY_VENUE_ID:
      key = .venueID(try arena.uuid(raw.pointee.venue_id, field: "venue_id"))
    case ENERGYKIT__V1__GET_VENUE_REQUEST__KEY_HOME_ID:
      key = .homeID(try arena.uuid(raw.pointee.home_id, field: "home_id"))
    default:
      throw .invalid("key", "venue_id or home_id is needed")
    }
  }
}
