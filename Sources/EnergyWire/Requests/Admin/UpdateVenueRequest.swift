internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

/// What is `nil` stays as it is.
package struct UpdateVenueRequest: Hashable, Sendable {
  package let venueID: UUID
  package let name: String?
  /// The inner `nil`: none.
  package let homeID: UUID??
  package let location: GeoPoint?
  /// Empty: from the location.
  package let timeZone: String?
  /// Empty: from the location.
  package let gridRegion: String?
  package let isLocationServicesDenied: Bool?
  package let incorporatesRatePlan: Bool?
  /// The inner `nil`: none.
  package let ratePlanID: String??

  private static let maximumPlanByteCount = 128

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__update_venue_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    venueID = try arena.uuid(raw.pointee.venue_id, field: "venue_id")
    name = if let name = raw.pointee.name { try arena.name(name.pointee.value) } else { nil }
    homeID =
      if let id = raw.pointee.home_id {
        .some(try arena.optionalUUID(id.pointee.value, field: "home_id"))
      } else { nil }
    location = try arena.location(raw.pointee.location)
    timeZone = if let zone = raw.pointee.time_zone { try arena.timeZone(zone.pointee.value) } else { nil }
    gridRegion = if let region = raw.pointee.grid_region { try arena.gridRegion(region.pointee.value) } else { nil }
    isLocationServicesDenied = arena.isSet(raw.pointee.location_services_denied)
    incorporatesRatePlan = arena.isSet(raw.pointee.incorporate_rate_plan)
    guard let plan = raw.pointee.rate_plan_id else {
      ratePlanID = nil
      return
    }
    let id = try arena.text(of: plan.pointee.value)
    guard id.utf8.count <= Self.maximumPlanByteCount else {
      throw .invalid("rate_plan_id", "must have at most \(Self.maximumPlanByteCount) bytes")
    }
    ratePlanID = .some(id.isEmpty ? nil : id)
  }
}
