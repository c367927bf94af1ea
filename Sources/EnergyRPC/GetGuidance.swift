internal import EnergyWire
internal import GRPC

/// `energykit.v1.ElectricityGuidanceService/GetGuidance`.
struct GetGuidance {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    guard let caller = loop.caller(of: call) else { return }
    let request: GetGuidanceRequest
    do {
      request = try GetGuidanceRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    if let view = loop.guidanceAtHand(at: request.venueID, request.action, of: caller) {
      return answer(call, request, view)
    }
    loop.withGuidance(at: request.venueID, request.action, of: caller, for: call) { view in
      answer(call, request, view)
    }
  }

  private func answer(_ call: any ServerCall, _ request: GetGuidanceRequest, _ view: GuidanceView) {
    guard view.token != request.knownToken else { return call.answer(GetGuidanceResponse(nil)) }
    call.answer(
      GetGuidanceResponse(
        GetGuidanceResponse.Guidance(
          token: view.token, venueID: request.venueID, suffix: view.publication.suffix.bytes,
          explanations: request.explain ? view.publication.explanations : [])))
  }
}
