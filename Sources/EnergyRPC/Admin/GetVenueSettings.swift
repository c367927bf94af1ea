internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/GetVenueSettings`.
struct GetVenueSettings {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: GetVenueSettingsRequest
    do {
      request = try GetVenueSettingsRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      VenueSettingsResponse(venue: try await admin.venue(id: request.venueID))
    }
  }
}
