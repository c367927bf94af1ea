internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/CreateClient`: the key is shown in its answer alone.
struct CreateClient {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: CreateClientRequest
    do {
      request = try CreateClientRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      let created = try await admin.createClient(
        id: request.clientID, name: request.name, entitlements: request.entitlements)
      return CreateClientResponse(client: created.client, apiKey: created.key?.text ?? "")
    }
  }
}
