internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/GetClient`.
struct GetClient {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: GetClientRequest
    do {
      request = try GetClientRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      GetClientResponse(client: try await admin.client(id: request.clientID))
    }
  }
}
