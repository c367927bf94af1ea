import EnergyModel
import EnergyWire
import FoundationEssentials
import GRPC
import ServiceTestSupport
import Storage
import TestSupport
import Testing

@testable import EnergyRPC

@Suite struct `StreamLoadEvents` {
  /// A session of two events.
  private func batch(_ bench: Bench, _ sequence: Int64, token: String? = nil, venue: String? = nil) throws -> [UInt8] {
    let token = try token ?? bench.token()
    let session = UUID().text
    return WireBuilder { request in
      request.number(1, sequence)
      request.text(2, venue ?? bench.venue.id.text)
      for state in [1, 3] as [Int64] {
        request.message(3) { event in
          event.text(1, UUID().text)
          event.message(2) { $0.time(bench.clock.now) }
          event.text(3, session)
          event.number(4, state)
          event.text(6, token)
          event.text(7, "wallbox")
          event.message(10) { $0.number(1, 0) }
        }
      }
    }.bytes
  }

  private func start(_ bench: Bench) throws -> (call: RecordedCall, stream: any RequestConsumer) {
    let call = RecordedCall(on: bench.executor)
    call.caller = bench.caller
    guard case .manyRequests(let make)? = bench.service.router[MethodName.streamLoadEvents.path]?.handler else {
      throw Failure.notServed
    }
    return (call, bench.executor.run { make(call) })
  }

  private enum Failure: Error { case notServed }

  /// `@unchecked Sendable`: used on the executor.
  private final class Turns: @unchecked Sendable {
    var taken = 0
    var readyCount = 0
  }

  private func sequences(_ call: RecordedCall) -> [Int64] {
    call.messages.compactMap { WireReader($0)?.number(1) }
  }

  /// Sends until the stream is held; `turns` counts.
  private func fill(_ bench: Bench, _ stream: any RequestConsumer, _ batches: [[UInt8]], _ turns: Turns) {
    bench.executor.run {
      for batch in batches {
        turns.taken += 1
        guard batch.withUnsafeBytes({ stream.receive($0) { turns.readyCount += 1 } }) else { return }
      }
    }
  }

  @Test func `takes 32 batches, then no more until one is answered`() async throws {
    let bench = try await Bench()
    let (call, stream) = try start(bench)
    #expect(call.headersSent)
    let first = Turns()
    fill(bench, stream, [try batch(bench, 1_000), try batch(bench, 1_001)], first)
    #expect(first.taken == 1, "what may be done at the venue is not known yet")
    #expect(await bench.settles { call.messages.count == 1 && first.readyCount == 1 })

    let turns = Turns()
    fill(bench, stream, try (0..<40).map { try batch(bench, $0) }, turns)
    #expect(turns.taken == LoadEventStream.maximumBatchCount)
    #expect(await bench.settles { call.messages.count == 33 })
    #expect(turns.readyCount == 1)
    #expect(sequences(call) == [1_000] + (0..<32).map { $0 })
    bench.executor.run { stream.receiveEnd() }
    #expect(call.status?.code == .ok)
  }

  @Test func `answers in order, also where a batch is refused at once`() async throws {
    let bench = try await Bench()
    _ = try await bench.call(.submitLoadEvents, WireBuilder { $0.text(1, bench.venue.id.text) }.bytes)
    let (call, stream) = try start(bench)
    let turns = Turns()
    fill(
      bench, stream,
      [
        try batch(bench, 5), try batch(bench, 4, venue: "no"), try batch(bench, 3, token: "x"), try batch(bench, 2),
      ], turns)
    #expect(turns.taken == 4)
    bench.executor.run { stream.receiveEnd() }
    #expect(await bench.settles { call.hasEnded })
    #expect(sequences(call) == [5, 4, 3, 2])
    let refused = call.messages.compactMap { WireReader($0)?.message(3) }
    #expect(refused.map { $0.text(2) } == ["INVALID_REQUEST", "INVALID_LOAD_EVENT"])
    #expect(refused.map { $0.number(6) } == [0, 2])
    #expect(call.status?.code == .ok)
  }

  @Test func `does not send into a full buffer, and goes on when there is room`() async throws {
    let bench = try await Bench()
    let (call, stream) = try start(bench)
    fill(bench, stream, [try batch(bench, 1)], Turns())
    #expect(await bench.settles { call.messages.count == 1 })
    call.peerTakes = false
    bench.executor.run { call.send(byteCount: CallLimits.bufferedBytes + 1) { _ in } }
    let turns = Turns()
    fill(bench, stream, [try batch(bench, 2), try batch(bench, 3)], turns)
    #expect(turns.taken == 1)
    #expect(await bench.settles { bench.store.submissions.count == 2 })
    #expect(call.messages.count == 2)
    call.peerTakes = true
    bench.executor.run { call.drain() }
    #expect(await bench.settles { call.messages.count == 3 && turns.readyCount == 1 })
  }

  @Test func `leaves the store's answers to a call that has ended alone`() async throws {
    let bench = try await Bench()
    let (call, stream) = try start(bench)
    fill(bench, stream, [try batch(bench, 1)], Turns())
    bench.executor.run { call.end(.cancelled(errorCode: 8)) }
    #expect(await bench.settles { true })
    #expect(call.messages.isEmpty)
  }
}
