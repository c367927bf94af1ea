internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.ElectricityGuidanceService/StreamGuidance`: the current guidance at once, then each newer one.
struct StreamGuidance {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    guard let caller = loop.caller(of: call) else { return }
    let request: StreamGuidanceRequest
    do {
      request = try StreamGuidanceRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let epoch = loop.access.epoch
    if let view = loop.guidanceAtHand(at: request.venueID, request.action, of: caller) {
      return subscribe(call, request, of: caller, since: epoch, view)
    }
    loop.withGuidance(at: request.venueID, request.action, of: caller, for: call) { view in
      subscribe(call, request, of: caller, since: epoch, view)
    }
  }

  /// - Parameter epoch: Of the access that the call was judged by.
  private func subscribe(
    _ call: any ServerCall, _ request: StreamGuidanceRequest, of caller: Caller, since epoch: UInt64,
    _ view: GuidanceView
  ) {
    guard !call.hasEnded else { return }
    do throws(EnergyKitError) {
      try caller.budget.openStream()
    } catch {
      return call.fail(error)
    }
    call.sendHeaders()
    let subscriber = GuidanceSubscriber(
      call: call, caller: caller, venueID: request.venueID, action: request.action, tag: view.tag, token: view.token)
    loop.streams.add(subscriber)
    subscriber.follow(view.feed, offersNewest: view.token != request.knownToken)
    // What has changed while the call waited has found no stream to judge.
    if loop.access.epoch != epoch { loop.standing.judge(subscriber) }
  }
}
