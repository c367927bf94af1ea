internal import EnergyWire
internal import GRPC

/// `energykit.v1.ElectricityGuidanceService/StreamGuidance`: the current guidance at once, then each newer one.
struct StreamGuidance {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    guard let caller = call.clientCaller else { return }
    let request: StreamGuidanceRequest
    do {
      request = try StreamGuidanceRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    if let view = loop.guidanceAtHand(at: request.venueID, request.action, of: caller) {
      return subscribe(call, request, view)
    }
    loop.withGuidance(at: request.venueID, request.action, of: caller, for: call) { view in
      subscribe(call, request, view)
    }
  }

  private func subscribe(_ call: any ServerCall, _ request: StreamGuidanceRequest, _ view: GuidanceView) {
    call.sendHeaders()
    let subscriber = GuidanceSubscriber(tag: view.tag, venueID: request.venueID, token: view.token)
    view.feed.join(call, as: subscriber, offersNewest: view.token != request.knownToken)
  }
}
