internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/DeleteDevice`: its events are gone when it answers.
struct DeleteDevice {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: DeleteDeviceRequest
    do {
      request = try DeleteDeviceRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      try await admin.deleteDevice(
        venueID: request.venueID, clientID: request.clientID, deviceID: request.deviceID.text)
      return EmptyResponse()
    }
  }
}
