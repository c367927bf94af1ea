internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/DeleteVenue`: its events are gone when it answers.
struct DeleteVenue {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: DeleteVenueRequest
    do {
      request = try DeleteVenueRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      try await admin.deleteVenue(id: request.venueID)
      return EmptyResponse()
    }
  }
}
