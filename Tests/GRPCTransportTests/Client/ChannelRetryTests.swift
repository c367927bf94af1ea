import GRPC
import GRPCTransport
import HTTP2
import NetworkIO
import TestSupport
import Testing

private func policy(_ attempts: Int, _ codes: Set<StatusCode> = [.unavailable]) -> RetryPolicy {
  RetryPolicy(
    maximumAttemptCount: attempts, initialBackoffMilliseconds: 100, maximumBackoffMilliseconds: 1_000,
    backoffMultiplier: 2, retryableCodes: codes)
}

/// Fails as often as it should, then answers.
private func failing(_ count: Int, _ fields: [(String, String)] = [("grpc-status", "14")]) -> FakeServer.Script {
  { connection, request in
    if request.number < count { connection.trailersOnly(request, fields) } else { connection.echo(request) }
  }
}

/// Goes on until the call has ended.
private func whileAdvancing<Result: Sendable>(
  _ clock: ManualClock, on loop: EventLoop, _ body: @escaping @Sendable () async -> Result
) async throws -> Result {
  let task = Task { await body() }
  let ticker = Task {
    while !Task.isCancelled {
      try await clock.advance(10, on: loop)
      try await Task.sleep(for: .milliseconds(1))
    }
  }
  let result = await task.value
  ticker.cancel()
  return result
}

@Suite struct `A channel's retries` {
  private func attempt(
    clock: ManualClock = ManualClock(), _ configure: (inout ClientConfiguration) -> Void,
    script: @escaping FakeServer.Script, _ check: (FakeServer, Status) -> Void
  ) async throws {
    try await withFakeServer(
      { configuration in
        configuration.clock = clock
        configuration.chance = { 0.5 }
        configure(&configuration)
      }, script: script
    ) { server, channel in
      let status = try await whileAdvancing(clock, on: channel.loop) {
        await statusOf { () async throws(Status) in try await channel.unary("/f", [1, 2, 3]) }
      }
      check(server, status)
    }
  }

  @Test func `go on until an attempt succeeds, each saying how many went before (gRFC A6)`() async throws {
    let clock = ManualClock()
    try await attempt(clock: clock, { $0.retryPolicy = policy(4) }, script: failing(3)) { server, status in
      #expect(status == .ok)
      #expect(server.requests.map { $0["grpc-previous-rpc-attempts"] } == [nil, "1", "2", "3"])
      #expect(clock.started.filter { [100, 200, 400].contains($0) } == [100, 200, 400])
    }
  }

  @Test func `are as many as the policy says (gRFC A6)`() async throws {
    try await attempt({ $0.retryPolicy = policy(3) }, script: failing(9)) { server, status in
      #expect(status.code == .unavailable && server.requests.count == 3)
    }
  }

  @Test func `are none of codes that the policy does not name (gRFC A6)`() async throws {
    try await attempt({ $0.retryPolicy = policy(3, [.aborted]) }, script: failing(9)) { server, status in
      #expect(status.code == .unavailable && server.requests.count == 1)
    }
  }

  @Test func `are none without a policy`() async throws {
    try await attempt({ _ in }, script: failing(9)) { server, status in
      #expect(status.code == .unavailable && server.requests.count == 1)
    }
  }

  @Test func `wait as long as the server says, and begin their backoff anew (G-076, gRFC A6)`() async throws {
    let clock = ManualClock()
    let script: FakeServer.Script = { connection, request in
      switch request.number {
      case 0, 2: connection.trailersOnly(request, [("grpc-status", "14")])
      case 1: connection.trailersOnly(request, [("grpc-status", "14"), ("grpc-retry-pushback-ms", "730")])
      case _: connection.echo(request)
      }
    }
    try await attempt(clock: clock, { $0.retryPolicy = policy(5) }, script: script) { server, status in
      #expect(status == .ok && server.requests.count == 4)
      #expect(clock.started.filter { [100, 200, 400, 730].contains($0) } == [100, 730, 100])
    }
  }

  @Test(arguments: ["-1", "soon"])
  func `end where the server says so (G-076, gRFC A6)`(pushback: String) async throws {
    let fields = [("grpc-status", "14"), ("grpc-retry-pushback-ms", pushback)]
    try await attempt({ $0.retryPolicy = policy(5) }, script: failing(9, fields)) { server, status in
      #expect(status.code == .unavailable && server.requests.count == 1)
    }
  }

  @Test func `end when the throttle has no tokens left (gRFC A6)`() async throws {
    try await attempt(
      {
        $0.retryPolicy = policy(5)
        $0.throttle = RetryThrottle(maximumTokens: 4, tokenRatio: 0.1)
      }, script: failing(9)
    ) { server, status in
      // Two failures leave half of the tokens, which is too few.
      #expect(status.code == .unavailable && server.requests.count == 2)
    }
  }

  @Test(arguments: [true, false]) func `are none once the answer has begun (gRFC A6)`(hasMessage: Bool) async throws {
    let script: FakeServer.Script = { connection, request in
      connection.respond(request, trailers: [("grpc-status", "14")])
    }
    let clock = ManualClock()
    try await withFakeServer(
      {
        $0.clock = clock
        $0.retryPolicy = policy(5)
      }, script: script
    ) { server, channel in
      let code = try await whileAdvancing(clock, on: channel.loop) {
        let stream = channel.bidirectionalStream("/f", CallOptions(timeoutMilliseconds: 5_000))
        if hasMessage { try? await stream.send([1]) }
        stream.finishSending()
        return await stream.status().code
      }
      #expect(code == .unavailable && server.requests.count == 1)
    }
  }

  @Test func `are none of a request too large to be kept (gRFC A6)`() async throws {
    let script: FakeServer.Script = { connection, request in
      if request.number == 0 {
        connection.trailersOnly(request, [("grpc-status", "14")])
      } else {
        connection.echo(request)
      }
    }
    let clock = ManualClock()
    try await withFakeServer(
      {
        $0.clock = clock
        $0.retryPolicy = policy(5)
        $0.retryBytesPerCall = 1_000
      }, script: script
    ) { server, channel in
      let stream = channel.clientStream("/f")
      try await stream.send([UInt8](repeating: 0, count: 2_000))
      #expect(await stream.status().code == .unavailable)
      #expect(server.requests.count == 1)
    }
  }

  @Test func `send the whole request again, what was sent before and after (gRFC A6)`() async throws {
    do {
      let clock = ManualClock()
      let script: FakeServer.Script = { connection, request in
        guard request.number == 0 else { return }
        connection.trailersOnly(request, [("grpc-status", "14")])
      }
      try await withFakeServer(
        {
          $0.clock = clock
          $0.chance = { 0.5 }
          $0.retryPolicy = policy(2)
        }, script: script
      ) { server, channel in
        let stream = channel.bidirectionalStream("/f")
        try await stream.send([1])
        #expect(await eventually { server.requests.count == 1 })
        try await stream.send([2])
        // The backoff begins once the answer has come: only from then on does the clock's advance count.
        #expect(await eventually { clock.started.contains(100) })
        try await clock.advance(100, on: channel.loop)
        #expect(await eventually { server.requests.count == 2 })
        try await stream.send([3])
        stream.finishSending()
        let body = try await eventually { () -> [UInt8]? in
          let seen = try await server.seenBody()
          return seen.count == 18 ? seen : nil
        }
        #expect(body == [1, 2, 3].flatMap { TestClient.framed([$0]) })
        try await server.onConnection { connection in connection.answerLast() }
        #expect(await stream.responses.collected().messages == [[9]])
      }
    }
  }

  @Test func `of a refused stream need no policy, once (G-071)`() async throws {
    let script: FakeServer.Script = { connection, request in
      if request.number == 0 { connection.reset(request, 7) } else { connection.echo(request) }
    }
    try await attempt({ _ in }, script: script) { server, status in
      #expect(status == .ok && server.requests.count == 2)
      #expect(server.requests.allSatisfy { $0["grpc-previous-rpc-attempts"] == nil })
    }
    try await attempt({ _ in }, script: { $0.reset($1, 7) }) { server, status in
      #expect(status.code == .unavailable && server.requests.count == 2)
    }
  }

  @Test func `of calls above the last of a GOAWAY go by another connection (G-100)`() async throws {
    let script: FakeServer.Script = { connection, request in
      if request.number == 0 { connection.goAway(lastStreamID: 0) } else { connection.echo(request) }
    }
    try await attempt({ _ in }, script: script) { server, status in
      #expect(status == .ok && server.connectionCount == 2 && server.requests.count == 2)
    }
  }

  @Test func `leave alone what a GOAWAY lets finish (G-101)`() async throws {
    let script: FakeServer.Script = { connection, request in
      guard request.number == 0 else { return connection.echo(request, [8]) }
      connection.goAway(lastStreamID: UInt32(request.id))
    }
    try await withFakeServer(script: script) { server, channel in
      async let first = channel.unary("/f", [])
      #expect(await eventually { server.requests.count == 1 })
      // Goes by a new connection at once.
      #expect(try await channel.message("/f", []) == [8])
      #expect(server.connectionCount == 2)
      try await server.loop.run { server.answerFirst() }
      #expect(try await first.message == [9])
    }
  }

  @Test func `wait no longer than the deadline`() async throws {
    let clock = ManualClock()
    try await withFakeServer(
      {
        $0.clock = clock
        $0.chance = { 0.5 }
        $0.retryPolicy = RetryPolicy(maximumAttemptCount: 5, initialBackoffMilliseconds: 5_000)
      }, script: failing(9)
    ) { server, channel in
      let status = try await whileAdvancing(clock, on: channel.loop) {
        await statusOf { () async throws(Status) in
          try await channel.unary("/f", [], CallOptions(timeoutMilliseconds: 300))
        }
      }
      #expect(status.code == .deadlineExceeded && server.requests.count == 1)
      #expect(server.requests.first?["grpc-timeout"] != nil)
    }
  }
}
