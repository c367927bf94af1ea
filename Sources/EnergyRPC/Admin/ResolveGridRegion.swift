internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/ResolveGridRegion`: by location; postal codes are not served yet.
struct ResolveGridRegion {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: ResolveGridRegionRequest
    do {
      request = try ResolveGridRegionRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      switch request.place {
      case .location(let point):
        let place = try await admin.place(at: point)
        return ResolveGridRegionResponse(
          isSupported: place.isSupported, gridRegion: place.gridRegion, timeZone: place.timeZone, basis: place.basis)
      case .postalCode: throw .notServed("postal codes are not served by this version; give a location")
      }
    }
  }
}
