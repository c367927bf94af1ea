import EnergyModel
import EnergyService
import EnergyWire
import FoundationEssentials
import GRPC
import ServiceTestSupport
import TestSupport
import Testing

@Suite struct `The guidance methods` {
  @Test func `answer with guidance and a token for this caller`() async throws {
    let bench = try await Bench()
    let call = try await bench.call(.getGuidance, bench.guidanceRequest())
    #expect(call.status?.code == .ok)
    let guidance = try #require(call.answer?.message(1))
    #expect(try bench.isOurs(guidance.text(1)))
    #expect(guidance.text(2) == bench.venue.id.text)
    #expect(guidance.number(3) == 1)
    #expect(guidance.text(8) == "CISO")
    #expect(guidance.messages(6).count > 2)
    #expect(call.answer?.messages(2).isEmpty == true)
  }

  @Test func `say nothing new to who knows it`() async throws {
    let bench = try await Bench()
    let first = try await bench.call(.getGuidance, bench.guidanceRequest())
    let token = try #require(first.answer?.message(1)?.text(1))
    let again = try await bench.call(.getGuidance, bench.guidanceRequest(known: token))
    #expect(again.status?.code == .ok && again.messages == [[]])
    let other = try await bench.call(.getGuidance, bench.guidanceRequest(known: UUID().text))
    #expect(other.answer?.message(1)?.text(1) == token)
  }

  @Test func `explain each value where that is asked for`() async throws {
    let bench = try await Bench()
    let answer = try #require(try await bench.call(.getGuidance, bench.guidanceRequest(explain: true)).answer)
    #expect(answer.messages(2).count == answer.message(1)?.messages(6).count)
    #expect(Set(answer.messages(2).map { $0.text(3) }) == [TestSource.model])
  }

  @Test(arguments: [MethodName.getGuidance, .streamGuidance])
  func `name the field that is wrong`(method: MethodName) async throws {
    let bench = try await Bench()
    let requests: [([UInt8], String)] = [
      (bench.guidanceRequest(venue: "x"), "venue_id"), (bench.guidanceRequest(action: 0), "suggested_action"),
      (bench.guidanceRequest(action: 9), "suggested_action"),
    ]
    for (request, field) in requests {
      #expect(
        try await bench.call(method, request).said
          == Said(.invalidArgument, "INVALID_REQUEST", violations: ["\(field) INVALID_REQUEST"]))
    }
  }

  @Test(arguments: [MethodName.getGuidance, .streamGuidance])
  func `say why there is none at a venue`(method: MethodName) async throws {
    let absent = try await Bench()
    #expect(
      try await absent.call(method, absent.guidanceRequest(venue: UUID().text)).said
        == Said(.notFound, "VENUE_UNAVAILABLE"))
    let denied = try await Bench(access: .denied)
    #expect(
      try await denied.call(method, denied.guidanceRequest()).said
        == Said(.permissionDenied, "PERMISSION_DENIED", ["venue": denied.venue.id.text]))
    let abroad = try await Bench(venue: makeVenue(region: "HECO", isSupported: false))
    #expect(
      try await abroad.call(method, abroad.guidanceRequest()).said
        == Said(.failedPrecondition, "UNSUPPORTED_REGION", ["region": "HECO"]))
    let hidden = try await Bench(venue: makeVenue(isSupported: false, isLocationDenied: true))
    #expect(
      try await hidden.call(method, hidden.guidanceRequest()).said
        == Said(.failedPrecondition, "LOCATION_SERVICES_DENIED"))
  }

  @Test(arguments: [MethodName.getGuidance, .streamGuidance])
  func `say when to come back where no data is there`(method: MethodName) async throws {
    let bench = try await Bench(venue: makeVenue(region: "NOWHERE"))
    let said = try await bench.call(method, bench.guidanceRequest()).said
    #expect(said.code == .unavailable && said.reason == "GUIDANCE_UNAVAILABLE")
    #expect((5...60).contains(said.retrySeconds ?? 0))
  }

  @Test func `stream the current guidance at once, then each newer one`() async throws {
    let bench = try await Bench()
    let stream = try bench.start(.streamGuidance, bench.streamRequest(), as: bench.caller)
    #expect(await bench.settles { stream.messages.count == 1 })
    #expect(stream.headersSent)
    let publication = try await bench.publish(signal(bench))
    #expect(publication.answer?.number(3) == 1)
    #expect(await bench.settles { stream.messages.count == 2 })
    let guidances = stream.messages.compactMap { WireReader($0)?.message(1) }
    let tokens = guidances.map { $0.text(1) }
    #expect(Set(tokens).count == 2)
    for token in tokens { #expect(try bench.isOurs(token)) }
    #expect(guidances.map { $0.text(2) } == [bench.venue.id.text, bench.venue.id.text])
    let current = try await bench.call(.getGuidance, bench.guidanceRequest())
    #expect(current.answer?.message(1)?.text(1) == tokens.last)
    #expect(!stream.hasEnded)
  }

  @Test func `stream nothing to who knows the current guidance, until there is newer`() async throws {
    let bench = try await Bench()
    let known = try #require(
      try await bench.call(.getGuidance, bench.guidanceRequest()).answer?.message(1)?.text(1))
    let stream = try bench.start(.streamGuidance, bench.streamRequest(known: known), as: bench.caller)
    #expect(await bench.settles { stream.headersSent })
    #expect(stream.messages.isEmpty)
    _ = try await bench.publish(signal(bench))
    #expect(await bench.settles { stream.messages.count == 1 })
  }

  @Test func `do not count a stream that has ended`() async throws {
    let bench = try await Bench()
    let stream = try bench.start(.streamGuidance, bench.streamRequest(), as: bench.caller)
    #expect(await bench.settles { stream.messages.count == 1 })
    bench.executor.run { stream.end(.cancelled(errorCode: 8)) }
    #expect(try await bench.publish(signal(bench)).answer?.number(3) == 0)
    #expect(stream.messages.count == 1)
  }

  private func signal(_ bench: Bench) -> [UInt8] { SignalRequest(bench.clock.now).bytes }
}
