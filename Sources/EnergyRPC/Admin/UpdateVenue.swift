internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/UpdateVenue`: its streams follow.
struct UpdateVenue {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: UpdateVenueRequest
    do {
      request = try UpdateVenueRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      var update = VenueUpdate()
      update.name = request.name
      update.homeID = request.homeID
      update.point = request.location
      update.timeZone = request.timeZone
      update.gridRegion = request.gridRegion
      update.isLocationServicesDenied = request.isLocationServicesDenied
      update.incorporatesRatePlan = request.incorporatesRatePlan
      update.ratePlanID = request.ratePlanID
      return VenueSettingsResponse(venue: try await admin.updateVenue(id: request.venueID, update))
    }
  }
}
