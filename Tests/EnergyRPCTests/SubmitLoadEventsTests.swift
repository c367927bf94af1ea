import EnergyModel
import EnergyService
import EnergyWire
import FoundationEssentials
import GRPC
import Locking
import ServiceTestSupport
import Storage
import TestSupport
import Testing

@Suite struct `SubmitLoadEvents` {
  /// Events of one charging session, a second apart, the last one now.
  private func batch(
    _ bench: Bench, count: Int = 3, tokens: [Int: String] = [:], venue: String? = nil, isPartial: Bool = false
  ) throws -> [UInt8] {
    let good = try bench.token()
    let session = UUID().text
    return WireBuilder { request in
      request.text(1, venue ?? bench.venue.id.text)
      for index in 0..<count {
        request.message(2) { event in
          event.text(1, UUID().text)
          event.message(2) { $0.time(bench.clock.now.advanced(bySeconds: Int64(index - count))) }
          event.text(3, session)
          event.number(4, index == 0 ? 1 : index == count - 1 ? 3 : 2)
          event.text(6, tokens[index] ?? good)
          event.text(7, "wallbox")
          event.message(10) { $0.number(1, index == 0 || index == count - 1 ? 0 : 50) }
        }
      }
      if isPartial { request.number(4, 1) }
    }.bytes
  }

  private func counts(_ call: RecordedCall) -> [Int64]? { call.answer.map { answer in (1...3).map(answer.number) } }

  @Test func `answers after the commit, and counts a repetition as duplicates`() async throws {
    let bench = try await Bench()
    let request = try batch(bench)
    let first = try await bench.call(.submitLoadEvents, request)
    #expect(first.status?.code == .ok && counts(first) == [3, 0, 0])
    #expect(counts(try await bench.call(.submitLoadEvents, request)) == [0, 3, 0])
  }

  @Test func `names each fault by its path`() async throws {
    let bench = try await Bench()
    let foreign = try bench.token(clientID: UUID())
    let call = try await bench.call(.submitLoadEvents, batch(bench, tokens: [1: "x", 2: foreign]))
    #expect(
      call.said
        == Said(
          .invalidArgument, "INVALID_LOAD_EVENT", ["violations": "2"],
          violations: [1, 2].map { "load_events[\($0)].guidance_token UNKNOWN_GUIDANCE_TOKEN" }))
    #expect(call.messages.isEmpty)
  }

  @Test(arguments: [1_000, 2_000, 7 << 10, 1 << 20])
  func `lists as many faults as the client's limit has room for`(limit: Int) async throws {
    let bench = try await Bench()
    let tokens = Dictionary(uniqueKeysWithValues: (0..<300).map { ($0, "x") })
    let call = try await bench.call(
      .submitLoadEvents, batch(bench, count: 300, tokens: tokens), trailerLimit: limit)
    #expect(call.said.metadata == ["violations": "300"])
    let size = (call.status?.details.count ?? 0) / 3 * 4 + (call.status?.message.utf8.count ?? 0)
    #expect(size <= min(limit, 7 << 10))
    #expect(limit < 7 << 10 || call.said.violations.count > 40)
    #expect(call.said.violations.count < 300)
  }

  @Test func `stores the good events where that is allowed, and lists the others`() async throws {
    let bench = try await Bench()
    let call = try await bench.call(.submitLoadEvents, batch(bench, count: 4, tokens: [2: "x"], isPartial: true))
    #expect(call.status?.code == .ok && counts(call) == [3, 0, 1])
    #expect(call.answer?.messages(4).map { $0.text(1) } == ["load_events[2].guidance_token"])
    #expect(call.answer?.messages(4).map { $0.text(2) } == ["UNKNOWN_GUIDANCE_TOKEN"])
  }

  @Test func `says why it may not be at a venue`() async throws {
    let absent = try await Bench()
    #expect(
      try await absent.call(.submitLoadEvents, batch(absent, venue: UUID().text)).said
        == Said(.notFound, "VENUE_UNAVAILABLE"))
    let denied = try await Bench(access: .denied)
    #expect(
      try await denied.call(.submitLoadEvents, batch(denied)).said
        == Said(.permissionDenied, "PERMISSION_DENIED", ["venue": denied.venue.id.text]))
    let guest = try await Bench(access: .restricted)
    #expect(
      try await guest.call(.submitLoadEvents, batch(guest)).said
        == Said(.invalidArgument, "INVALID_LOAD_EVENT", ["violations": "1"], violations: ["venue_id RESTRICTED"]))
    for bench in [absent, denied, guest] { #expect(bench.store.submissions.isEmpty) }
    #expect(
      try await absent.call(.submitLoadEvents, batch(absent, venue: "x")).said
        == Said(.invalidArgument, "INVALID_REQUEST", violations: ["venue_id INVALID_REQUEST"]))
  }

  @Test func `lets others through while a large batch is decoded`() async throws {
    let bench = try await Bench()
    _ = try await bench.call(.submitLoadEvents, batch(bench))
    let call = RecordedCall(on: bench.executor)
    call.caller = bench.caller
    let request = try batch(bench, count: 1_200)
    guard case .oneRequest(let handle)? = bench.service.router[MethodName.submitLoadEvents.path]?.handler else {
      return #expect(Bool(false))
    }
    let store = bench.store
    let seen = Seen()
    bench.executor.run {
      request.withUnsafeBytes { handle(call, $0) }
      seen.counts.append(store.submissions.count)
      #expect(call.keptByteCount == request.count, "its copy counts while it is there")
      bench.executor.execute { seen.counts.append(store.submissions.count) }
    }
    #expect(seen.counts == [1, 1], "500 events a turn")
    #expect(await bench.settles { call.hasEnded })
    #expect(counts(call) == [1_200, 0, 0])
    #expect(call.keptByteCount == 0)
  }

  /// `@unchecked Sendable`: used on the executor.
  private final class Seen: @unchecked Sendable {
    var counts: [Int] = []
  }

  @Test func `hands nothing to the store for a call that ends while it is decoded`() async throws {
    let bench = try await Bench()
    _ = try await bench.call(.submitLoadEvents, batch(bench))
    let call = RecordedCall(on: bench.executor)
    call.caller = bench.caller
    let request = try batch(bench, count: 1_200)
    guard case .oneRequest(let handle)? = bench.service.router[MethodName.submitLoadEvents.path]?.handler else {
      return #expect(Bool(false))
    }
    bench.executor.run {
      request.withUnsafeBytes { handle(call, $0) }
      call.end(.connectionLost)
    }
    #expect(bench.store.submissions.count == 1)
  }

  @Test func `may be tried again where the store fails, which the log is told`() async throws {
    let bench = try await Bench()
    _ = try await bench.call(.submitLoadEvents, batch(bench))
    await bench.store.close()
    let call = try await bench.call(.submitLoadEvents, batch(bench))
    #expect(call.said == Said(.unavailable, "SERVICE_UNAVAILABLE", retrySeconds: 5))
    #expect(bench.problems.withLock { $0 } == [.closed])
  }
}
