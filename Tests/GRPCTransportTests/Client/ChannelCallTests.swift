import GRPC
import GRPCTransport
import TestSupport
import Testing

@Suite struct `A call of a channel` {
  @Test(arguments: [0, 1, 100, 16_379, 16_384, 65_536, 300_000, 4 << 20])
  func `carries one message each way, whatever the windows (G-088, G-092)`(byteCount: Int) async throws {
    try await withServerAndChannel { _, channel in
      let message = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let response = try await channel.unary("/t.T/Echo", message)
      #expect(response.message == message)
    }
  }

  @Test func `gives many messages for one`() async throws {
    try await withServerAndChannel { _, channel in
      let (messages, status) = await channel.serverStream("/t.T/Count", [200]).collected()
      #expect(messages == (0..<200).map { [$0] } && status == .ok)
    }
  }

  @Test func `may give no message where it could give many`() async throws {
    try await withServerAndChannel { _, channel in
      let (messages, status) = await channel.serverStream("/t.T/Count", [0]).collected()
      #expect(messages.isEmpty && status == .ok)
    }
  }

  @Test func `takes many messages for one`() async throws {
    try await withServerAndChannel { harness, channel in
      let stream = channel.clientStream("/t.T/Sum")
      for message in [[1, 2], [], [UInt8](repeating: 9, count: 20_000)] { try await stream.send(message) }
      #expect(try await stream.message() == Array("20002".utf8))
      #expect(harness.record.halfCloses == 1)
    }
  }

  @Test func `takes no message where it could take many`() async throws {
    try await withServerAndChannel { _, channel in
      let message = try await channel.clientStream("/t.T/Sum").message()
      #expect(message == Array("0".utf8))
    }
  }

  @Test func `goes to and fro until the caller half-closes (G-085)`() async throws {
    try await withServerAndChannel { harness, channel in
      let stream = channel.bidirectionalStream("/t.T/Chat")
      let responses = stream.responses.makeAsyncIterator()
      for round in 1...5 as ClosedRange<UInt8> {
        try await stream.send([round, round])
        #expect(try await responses.next() == [round, round])
      }
      stream.finishSending()
      #expect(try await responses.next() == nil)
      #expect(await stream.status() == .ok)
      #expect(harness.record.ends == [.finished(.ok)])
    }
  }

  @Test func `gives the server's status, its message and its details (G-067, G-074)`() async throws {
    try await withServerAndChannel { _, channel in
      let status = await statusOf { () async throws(Status) in try await channel.unary("/t.T/Fail", []) }
      #expect(status == Status(.invalidArgument, "wrong: 100%", details: [1, 2, 3]))
    }
  }

  @Test func `of a method that is not served is UNIMPLEMENTED (G-031)`() async throws {
    try await withServerAndChannel { _, channel in
      let status = await statusOf { () async throws(Status) in try await channel.unary("/t.T/Nothing", []) }
      #expect(status.code == .unimplemented)
    }
  }

  @Test func `carries metadata both ways, binary too, in order (G-042, G-043, G-044)`() async throws {
    try await withServerAndChannel { _, channel in
      var options = CallOptions(keepsMetadata: true)
      options.metadata = Metadata([
        .init(name: "x", value: Array("1".utf8)), .init(name: "y-bin", value: [0, 1, 255]),
        .init(name: "x", value: Array("2, 3".utf8)), .init(name: "y-bin", value: []),
      ])
      let response = try await channel.unary("/t.T/Meta", [], options)
      let fields = response.metadata.fields.filter { $0.name == "x" || $0.name == "y-bin" }
      #expect(fields == options.metadata.fields)
      #expect(response.metadata.fields.contains { $0.name == "user-agent" })
    }
  }

  @Test func `has its headers before its messages (G-077)`() async throws {
    try await withServerAndChannel { _, channel in
      let stream = channel.serverStream("/t.T/Open", []).stream
      let metadata = try await stream.headers()
      #expect(metadata == Metadata())
    }
  }

  @Test func `with more metadata than the server takes costs the call only (G-018, G-046)`() async throws {
    try await withServerAndChannel { _, channel in
      _ = try await channel.unary("/t.T/Echo", [1])
      var options = CallOptions()
      options.metadata = Metadata([.init(name: "x", value: [UInt8](repeating: 0x61, count: 20_000))])
      let large = options
      let status = await statusOf { () async throws(Status) in try await channel.unary("/t.T/Echo", [], large) }
      #expect(status.code == .resourceExhausted && status.message.contains("server's limit"))
      #expect(try await channel.message("/t.T/Echo", [2]) == [2])
    }
  }

  @Test(arguments: [5, 60]) func `ends at its deadline, and the server's part with it (G-038)`(
    milliseconds: UInt64
  ) async throws {
    try await withServerAndChannel { harness, channel in
      let options = CallOptions(timeoutMilliseconds: milliseconds)
      let status = await statusOf { () async throws(Status) in try await channel.unary("/t.T/Never", [], options) }
      #expect(status.code == .deadlineExceeded)
      // By its own clock, or by our RST_STREAM, which may be first. The shortest may not even have begun.
      let ended = await eventually(within: .seconds(2)) { harness.record.ends.count == harness.record.callsMade }
      #expect(ended)
    }
  }

  @Test func `with no time left never leaves (G-036)`() async throws {
    try await withServerAndChannel { harness, channel in
      let options = CallOptions(timeoutMilliseconds: 0)
      let status = await statusOf { () async throws(Status) in try await channel.unary("/t.T/Echo", [], options) }
      #expect(status.code == .deadlineExceeded && harness.record.callsMade == 0)
    }
  }

  @Test func `ends for both sides when its task is cancelled (G-086)`() async throws {
    try await withServerAndChannel { harness, channel in
      let task = Task { await statusOf { () async throws(Status) in try await channel.unary("/t.T/Never", []) } }
      #expect(await eventually { harness.record.callsMade == 1 })
      task.cancel()
      #expect(await task.value.code == .cancelled)
      #expect(await eventually { harness.record.ends == [.cancelled(errorCode: 8)] })
    }
  }

  @Test func `of a task that is cancelled already never leaves`() async throws {
    try await withServerAndChannel { harness, channel in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await statusOf { () async throws(Status) in try await channel.unary("/t.T/Echo", []) }
      }
      #expect(await task.value.code == .cancelled)
      #expect(harness.record.callsMade == 0)
    }
  }

  @Test func `ends when nobody holds it any more`() async throws {
    try await withServerAndChannel { harness, channel in
      var stream: ClientStream? = channel.bidirectionalStream("/t.T/Chat")
      try await stream?.send([1])
      #expect(await eventually { harness.record.messages.count == 1 })
      stream = nil
      #expect(await eventually { harness.record.ends == [.cancelled(errorCode: 8)] })
    }
  }

  @Test func `gives the messages that came before its bad end (nio-transport#96)`() async throws {
    let script: FakeServer.Script = { connection, request in
      let body = (0..<40 as Range<UInt8>).flatMap { TestClient.framed([$0]) }
      connection.respond(request, body: body, trailers: [("grpc-status", "10"), ("grpc-message", "late")])
    }
    try await withFakeServer(script: script) { _, channel in
      let (messages, status) = await channel.serverStream("/f", []).collected()
      #expect(messages == (0..<40).map { [$0] })
      #expect(status == Status(.aborted, "late"))
    }
  }

  @Test func `of 1000 at once all succeed (G-093)`() async throws {
    try await withServerAndChannel { _, channel in
      let answers = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<1_000 {
          let message = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
          group.addTask { (try? await channel.unary("/t.T/Echo", message))?.message == message }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(answers == 1_000)
    }
  }

  @Test func `waits while the server has as many as it takes (G-017)`() async throws {
    var limits = CallLimits()
    limits.streamsPerConnection = 2
    try await withServerAndChannel(limits: limits) { harness, channel in
      let first = channel.serverStream("/t.T/Open", []).stream
      let second = channel.serverStream("/t.T/Open", []).stream
      _ = try await first.headers()
      _ = try await second.headers()
      async let third = channel.unary("/t.T/Echo", [3])
      async let fourth = channel.unary("/t.T/Echo", [4])
      try await Task.sleep(for: .milliseconds(50))
      #expect(harness.record.callsMade == 0)
      first.cancel()
      #expect(try await third.message == [3])
      #expect(try await fourth.message == [4])
      second.cancel()
    }
  }

  @Test func `fails where too many wait already`() async throws {
    var limits = CallLimits()
    limits.streamsPerConnection = 1
    try await withServerAndChannel(limits: limits, { $0.maximumWaitingCallCount = 2 }) { _, channel in
      let open = channel.serverStream("/t.T/Open", []).stream
      _ = try await open.headers()
      let waiting = [channel.clientStream("/t.T/Sum"), channel.clientStream("/t.T/Sum")]
      // They wait on, though there is a connection.
      try await Task.sleep(for: .milliseconds(30))
      let status = await statusOf { () async throws(Status) in
        try await channel.unary("/t.T/Echo", [], CallOptions(timeoutMilliseconds: 3_000))
      }
      #expect(status.code == .resourceExhausted)
      open.cancel()
      for stream in waiting { #expect(try await stream.message() == Array("0".utf8)) }
    }
  }

  @Test func `with a larger message than allowed fails, in and out (G-056, G-061)`() async throws {
    try await withServerAndChannel {
      $0.maximumRequestByteCount = 2_000
      $0.maximumResponseByteCount = 1_000
    } _: { harness, channel in
      let largest = try await channel.message("/t.T/Echo", [UInt8](repeating: 1, count: 1_000))
      #expect(largest.count == 1_000)
      let out = await statusOf { () async throws(Status) in
        try await channel.unary("/t.T/Echo", [UInt8](repeating: 1, count: 2_001))
      }
      #expect(out.code == .resourceExhausted && out.message.contains("2001"))
      #expect(harness.record.callsMade == 1)
      let back = await statusOf { () async throws(Status) in
        try await channel.unary("/t.T/Echo", [UInt8](repeating: 1, count: 1_001))
      }
      #expect(back.code == .resourceExhausted && back.message.contains("1001"))
      #expect(try await channel.message("/t.T/Echo", [1]) == [1])
    }
  }
}
