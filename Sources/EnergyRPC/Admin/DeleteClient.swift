internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/DeleteClient`.
struct DeleteClient {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: DeleteClientRequest
    do {
      request = try DeleteClientRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      try await admin.deleteClient(id: request.clientID)
      return EmptyResponse()
    }
  }
}
