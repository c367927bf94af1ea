internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/SetVenueAccess`: what it takes away is gone when it answers.
struct SetVenueAccess {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: SetVenueAccessRequest
    do {
      request = try SetVenueAccessRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      try await admin.setAccess(request.access, venueID: request.venueID, clientID: request.clientID)
      return EmptyResponse()
    }
  }
}
