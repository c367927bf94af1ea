internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

package struct CreateVenueRequest: Hashable, Sendable {
  /// `nil`: the server makes one.
  package let venueID: UUID?
  package let name: String
  package let homeID: UUID?
  package let location: GeoPoint?
  /// Empty: from the location.
  package let timeZone: String
  /// Empty: from the location.
  package let gridRegion: String
  package let isLocationServicesDenied: Bool

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__create_venue_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    venueID = try arena.optionalUUID(raw.pointee.venue_id, field: "venue_id")
    name = try arena.name(raw.pointee.name)
    homeID = try arena.optionalUUID(raw.pointee.home_id, field: "home_id")
    location = try arena.location(raw.pointee.location)
    timeZone = try arena.timeZone(raw.pointee.time_zone)
    gridRegion = try arena.gridRegion(raw.pointee.grid_region)
    isLocationServicesDenied = raw.pointee.location_services_denied != 0
  }
}
