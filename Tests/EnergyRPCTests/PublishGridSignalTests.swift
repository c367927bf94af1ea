import EnergyModel
import EnergyWire
import FoundationEssentials
import GRPC
import ServiceTestSupport
import Storage
import TestSupport
import Testing

/// A day's forecast for California, unlike the one of the test's source.
struct SignalRequest {
  var issueTime: Timestamp
  var points: [(start: Timestamp, value: Double)]

  init(_ now: Timestamp) {
    issueTime = now
    let hour = now.floored(toMultipleOf: 3_600_000)
    points = (0..<24).map { (hour.advanced(bySeconds: $0 * 3_600), Double(100 + 37 * ($0 * 7 % 24))) }
  }

  var bytes: [UInt8] {
    WireBuilder { request in
      request.text(1, "CISO")
      request.number(2, 1)
      request.text(3, TestSource.model)
      request.message(5) { $0.time(issueTime) }
      request.number(6, 3_600)
      for point in points {
        request.message(7) {
          $0.message(1) { $0.time(point.start) }
          $0.double(2, point.value)
        }
      }
    }.bytes
  }
}

extension WireBuilder {
  /// The fields of a google.protobuf.Timestamp.
  mutating func time(_ time: Timestamp) {
    number(1, time.seconds)
    number(2, (time.milliseconds - time.seconds * 1_000) * 1_000_000)
  }
}

@Suite struct `PublishGridSignal` {
  @Test func `keeps the signal before it says so`() async throws {
    let bench = try await Bench()
    let call = try await bench.publish(SignalRequest(bench.clock.now).bytes)
    #expect(call.status?.code == .ok)
    #expect(call.answer?.number(1) == 24)
    #expect(call.answer?.number(2) == 1)
    #expect(call.answer?.number(3) == 0)
    #expect(try await bench.store.signals(gridRegion: "CISO", since: .noon).count == 1)
  }

  @Test(arguments: [(300_000, true), (300_001, false), (Int64(100) * 365 * 86_400_000, false)] as [(Int64, Bool)])
  func `takes issue times up to five minutes ahead`(ahead: Int64, isTaken: Bool) async throws {
    let bench = try await Bench()
    var request = SignalRequest(bench.clock.now)
    request.issueTime = bench.clock.now.advanced(byMilliseconds: ahead)
    let expected =
      isTaken ? Said(.ok) : Said(.invalidArgument, "INVALID_REQUEST", violations: ["issue_time INVALID_REQUEST"])
    #expect(try await bench.publish(request.bytes).said == expected)
    #expect(try await bench.store.signals(gridRegion: "CISO", since: .noon).count == (isTaken ? 1 : 0))
  }

  @Test(arguments: [0, 100_001])
  func `names the points where they are none or too many`(count: Int) async throws {
    let bench = try await Bench()
    var request = SignalRequest(bench.clock.now)
    request.points = (0..<count).map { (Timestamp(seconds: Int64($0) * 3_600), 1) }
    #expect(
      try await bench.publish(request.bytes).said
        == Said(.invalidArgument, "INVALID_REQUEST", violations: ["points INVALID_REQUEST"]))
  }

  @Test func `may be tried again where the store fails, and has changed nothing`() async throws {
    let bench = try await Bench()
    let before = try await bench.call(.getGuidance, bench.guidanceRequest())
    bench.store.fail(with: .busy)
    let call = try await bench.publish(SignalRequest(bench.clock.now).bytes)
    #expect(call.said == Said(.unavailable, "SERVICE_UNAVAILABLE", retrySeconds: 1))
    bench.store.fail(with: nil)
    #expect(try await bench.call(.getGuidance, bench.guidanceRequest()).messages == before.messages)
  }
}
