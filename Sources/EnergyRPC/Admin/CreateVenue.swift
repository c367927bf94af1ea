internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/CreateVenue`.
struct CreateVenue {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: CreateVenueRequest
    do {
      request = try CreateVenueRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      let new = NewVenue(
        name: request.name, homeID: request.homeID, point: request.location, timeZone: request.timeZone,
        gridRegion: request.gridRegion, isRegionSupported: !request.gridRegion.isEmpty,
        isLocationServicesDenied: request.isLocationServicesDenied)
      return VenueSettingsResponse(venue: try await admin.createVenue(id: request.venueID, new))
    }
  }
}
