import GRPC
import HTTP2
import Testing

@Suite struct `Flow control of calls` {
  private static func settings(streamWindow: UInt32) -> HTTP2Settings {
    var settings = HTTP2Settings()
    settings.streamWindow = streamWindow
    return settings
  }

  // G-088
  @Test(arguments: [1, 3, 100] as [UInt32]) func `obeys small windows of the client`(window: UInt32) async throws {
    try await withServer { harness in
      let client = try await harness.client(Self.settings(streamWindow: window))
      #expect(try await client.call("/t.T/Count", [[50]]).messages == (0..<50).map { [$0] })
      #expect(try await client.call("/t.T/Echo", [[UInt8](repeating: 3, count: 300)]).status == "0")
    }
  }

  // G-092
  @Test func `makes the client obey small windows of the server`() async throws {
    var limits = CallLimits()
    limits.streamWindow = 1
    try await withServer(limits: limits) { harness in
      let client = try await harness.client()
      #expect(try await client.call("/t.T/Echo", [Array(0..<100)]).messages == [Array(0..<100)])
      #expect(try await client.call("/t.T/Sum", [[1], [2, 3], []]).messages == [Array("3".utf8)])
    }
  }

  // G-091
  @Test func `bounds what is buffered for a client that takes nothing`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      try await client.setTakes(false)
      let id = try await client.open("/t.T/Flood", body: TestClient.framed([100]))
      _ = try await client.messages(id, count: 6)
      try await Task.sleep(for: .milliseconds(50))
      #expect(try await client.outcome(id).messages.count == 6)
      #expect(harness.record.largestBuffer <= CallLimits.bufferedBytes + 10_005)
      try await client.setTakes(true)
      try await client.consume(id, 60_000)
      let outcome = try await client.finished(id)
      #expect(outcome.messages.count == 100 && outcome.status == "0")
      #expect(harness.record.roomCount > 0)
    }
  }

  // G-091
  @Test func `bounds what is buffered for a connection`() async throws {
    var limits = CallLimits()
    limits.responseBytesPerConnection = 100_000
    try await withServer(limits: limits) { harness in
      let client = try await harness.client()
      try await client.setTakes(false)
      var ids: [Int32] = []
      for _ in 0..<50 { ids.append(try await client.open("/t.T/Flood", body: TestClient.framed([20]))) }
      for _ in 0..<50 {
        ids.append(try await client.open("/t.T/Echo", body: TestClient.framed([UInt8](repeating: 1, count: 9_000))))
      }
      try await Task.sleep(for: .milliseconds(100))
      #expect(harness.record.callsMade < 50)
      try await client.setTakes(true)
      for id in ids {
        let received = try await client.outcome(id).messages.map { $0.count + 5 }.reduce(0, +)
        let rest = try await client.outcome(id).rest.count
        try await client.consume(id, received + rest)
      }
      for id in ids { #expect(try await client.finished(id).status == "0") }
    }
  }

  // G-090, G-092
  @Test func `waits for a slow consumer`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let messages = (0..<30).map { [UInt8](repeating: $0, count: 9_000) }
      let id = try await client.open("/t.T/Slow", body: messages.flatMap { TestClient.framed($0) })
      // Another call on the connection is not held up.
      #expect(try await client.call("/t.T/Echo", [[1]]).status == "0")
      let outcome = try await client.finished(id)
      #expect(outcome.messages == [Array("270000".utf8)])
      #expect(harness.record.messages == messages)
      #expect(harness.record.halfCloses == 1)
    }
  }

  // G-090, G-092
  @Test func `closes the window of a consumer that takes no more`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let messages = [[UInt8]](repeating: [UInt8](repeating: 1, count: 995), count: 1_000)
      let id = try await client.open("/t.T/Stuck", body: messages.flatMap { TestClient.framed($0) })
      _ = try await eventually { harness.record.messages.isEmpty ? nil : true }
      #expect(try await client.call("/t.T/Echo", [[1]]).status == "0")
      try await Task.sleep(for: .milliseconds(50))
      #expect(try await client.unsentByteCount(id) > 1_000_000 - 2 * 65_536)
      #expect(harness.record.messages.count == 1)
    }
  }

  // G-092
  @Test func `gives out credit though more is being assembled than it should be`() async throws {
    var limits = CallLimits()
    limits.assembledBytesPerConnection = 800_000
    try await withServer(limits: limits) { harness in
      let client = try await harness.client()
      let bodies = (0..<20 as Range<UInt8>).map { TestClient.framed([UInt8](repeating: $0, count: 250_000)) }
      let ids = try await client.openAtOnce("/t.T/Echo", bodies: bodies, ends: true)
      for (index, id) in ids.enumerated() {
        let outcome = try await client.finished(id)
        #expect(outcome.status == "0" && outcome.messages == [bodies[index].dropFirst(5)].map { Array($0) })
      }
    }
  }

  private func halfSent(_ byteCount: Int) -> [UInt8] {
    [UInt8](TestClient.framed([UInt8](repeating: 1, count: byteCount)).dropLast())
  }

  /// How many of these calls have ended with RESOURCE_EXHAUSTED.
  private func exhausted(_ client: TestClient, _ ids: [Int32]) async throws -> Int {
    var count = 0
    for id in ids where try await client.outcome(id).status == "8" { count += 1 }
    return count
  }

  @Test func `fails calls of those who hold most where the server holds too much, and of nobody else`() async throws {
    var limits = CallLimits()
    limits.assembledBytesPerServer = 2_000_000
    try await withServer(limits: limits) { harness in
      let victim = try await harness.client()
      let mine = try await victim.open("/t.T/Echo", body: halfSent(50_000), ends: false)
      var attackers: [(client: TestClient, ids: [Int32])] = []
      for _ in 0..<5 {
        let client = try await harness.client()
        let bodies = [[UInt8]](repeating: halfSent(60_000), count: 20)
        attackers.append((client, try await client.openAtOnce("/t.T/Echo", bodies: bodies, ends: false)))
      }
      // Of 100 calls with 60,000 bytes each, about 29 stay.
      _ = try await eventually {
        var count = 0
        for attacker in attackers { count += try await exhausted(attacker.client, attacker.ids) }
        return count >= 67 ? true : nil
      }
      let large = [UInt8](repeating: 7, count: 150_000)
      #expect(try await victim.call("/t.T/Echo", [large]).messages == [large])
      try await victim.send(mine, [1], ends: true)
      #expect(try await victim.finished(mine).status == "0")
    }
  }

  @Test func `refuses calls of a connection that is over its share, and credit, but nothing of another's`() async throws
  {
    var limits = CallLimits()
    limits.assembledBytesPerConnection = 200_000
    try await withServer(limits: limits) { harness in
      let client = try await harness.client()
      let other = try await harness.client()
      let ids = try await client.openAtOnce(
        "/t.T/Echo", bodies: [[UInt8]](repeating: halfSent(60_000), count: 4), ends: false)
      let refused = try await eventually {
        let outcome = try await client.call("/t.T/Echo", [[1]]); return outcome.status == "8" ? outcome : nil
      }
      #expect(refused.headers["grpc-retry-pushback-ms"] == "1000")
      #expect(try await other.call("/t.T/Echo", [[UInt8](repeating: 1, count: 150_000)]).status == "0")
      #expect(try await exhausted(client, ids) == 0)
      for id in ids { try await client.cancel(id) }
      #expect(try await client.call("/t.T/Echo", [[1]]).status == "0")
    }
  }

  // The handlers' own copies are not for nothing.
  @Test func `counts what handlers keep of requests`() async throws {
    var limits = CallLimits()
    limits.assembledBytesPerConnection = 100_000
    try await withServer(limits: limits) { harness in
      let client = try await harness.client()
      let id = try await client.open("/t.T/Keep", body: TestClient.framed([1]))
      _ = try await eventually { try await client.call("/t.T/Echo", [[1]]).status == "8" ? true : nil }
      try await client.cancel(id)
      #expect(try await client.call("/t.T/Echo", [[1]]).status == "0")
    }
  }

  // G-145
  @Test func `keeps nothing of calls that were reset while they waited for room`() async throws {
    var limits = CallLimits()
    limits.responseBytesPerConnection = 50_000
    try await withServer(limits: limits) { harness in
      let client = try await harness.client(Self.settings(streamWindow: 0))
      _ = try await client.open("/t.T/Flood", body: TestClient.framed([20]))
      for _ in 0..<15 {
        let bodies = [[UInt8]](repeating: TestClient.framed([1]), count: 60)
        let fields = [("authorization", "track")]
        var ids: [Int32] = []
        for body in bodies { ids.append(try await client.open("/t.T/Echo", body: body, fields: fields)) }
        // The server has them all before the first is reset.
        _ = try await eventually { try await harness.trackedCount() >= 60 ? true : nil }
        for id in ids { try await client.cancel(id) }
        _ = try await eventually { try await harness.openTrackedCount() == 0 ? true : nil }
      }
      #expect(harness.record.callsMade == 0)
      #expect(try await harness.trackedCount() < 150)
    }
  }

  // G-089
  @Test func `never loses the connection's credit`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let body = TestClient.framed([UInt8](repeating: 1, count: 60_000))
      // Twelve times the connection's window, to be dropped.
      for _ in 0..<50 {
        var ids: [Int32] = []
        for path in ["/t.T/Nothing", "/t.T/Small", "/t.T/Fail", "/t.T/Echo"] {
          ids.append(try await client.open(path, body: body, ends: path != "/t.T/Echo"))
        }
        try await client.cancel(ids[3])
        for id in ids { _ = try await client.finished(id) }
      }
      #expect(try await client.call("/t.T/Echo", [[UInt8](repeating: 1, count: 1 << 20)]).status == "0")
    }
  }
}
