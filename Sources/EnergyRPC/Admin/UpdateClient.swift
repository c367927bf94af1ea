internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/UpdateClient`: what it takes away is gone when it answers.
struct UpdateClient {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: UpdateClientRequest
    do {
      request = try UpdateClientRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      let update = ClientUpdate(
        name: request.name, entitlements: request.entitlements, isDisabled: request.isDisabled)
      return UpdateClientResponse(client: try await admin.updateClient(id: request.clientID, update))
    }
  }
}
