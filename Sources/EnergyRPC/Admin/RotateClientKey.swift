internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/RotateClientKey`: the key is shown in its answer alone.
struct RotateClientKey {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: RotateClientKeyRequest
    do {
      request = try RotateClientKeyRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      let key = try await admin.rotateKey(
        clientID: request.clientID, overlapMilliseconds: request.overlapMilliseconds)
      return RotateClientKeyResponse(apiKey: key.text)
    }
  }
}
