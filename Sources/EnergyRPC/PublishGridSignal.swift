internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import GRPC

/// `energykit.v1.AdminService/PublishGridSignal`: durable first, then the guidance that follows from it.
struct PublishGridSignal {
  /// As for events: a producer's clock may be a little fast.
  private static let maximumLeadMilliseconds: Int64 = 5 * 60_000

  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: PublishGridSignalRequest
    do {
      request = try PublishGridSignalRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    guard request.signal.issueTime <= loop.shared.clock.now.advanced(byMilliseconds: Self.maximumLeadMilliseconds)
    else {
      return call.fail(
        .invalid(
          InvalidRequest(field: "issue_time", description: "lies more than 5 minutes ahead of the server's clock")))
    }
    let admin = loop.shared.admin
    let fanOut = loop.shared.fanOut
    call.answer { () async throws(AdminFailure) in
      let effect = try await admin.publish(request.signal)
      return PublishGridSignalResponse(
        storedCount: request.signal.points.count, isGuidanceChanged: !effect.changed.isEmpty,
        subscribersNotified: await fanOut.subscriberCount(of: effect.changed))
    }
  }
}
