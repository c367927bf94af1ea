import GRPC
import GRPCTransport
import Glibc
import HTTP2
import Locking
import NetworkIO
import TestSupport
import Testing

private func unary(
  _ channel: ClientChannel, _ path: String = "/t.T/Echo", _ options: CallOptions = CallOptions()
) async -> Status {
  await statusOf { () async throws(Status) in try await channel.unary(path, [1], options) }
}

/// An address of this machine where nothing listens.
private func deadAddress(on loop: EventLoop) async throws -> SocketAddress {
  let server = try FakeServer(on: loop) { _, _ in }
  let address = try #require(server.address)
  try await server.close()
  return address
}

private func serve(at address: SocketAddress, on loop: EventLoop) throws -> GRPCServer {
  try GRPCServer(
    GRPCServer.Configuration(listeners: [.init(address: address)], loops: [loop]) {
      TestService.make($0, Record(), Broadcasts())
    })
}

@Suite struct `The target of a channel` {
  @Test(
    arguments: [
      ("127.0.0.1:50051", "127.0.0.1:50051", "127.0.0.1"), ("[::1]:443", "[::1]:443", "::1"),
      ("unix:/tmp/a.sock", "localhost", nil), ("example.org:80", "example.org:80", "example.org"),
      ("my_host-1:1", "my_host-1:1", "my_host-1"),
    ] as [(String, String, String?)])
  func `is an address, a name or a path (G-027, G-029)`(text: String, authority: String, host: String?) throws {
    let target = try #require(ChannelTarget(text))
    #expect(target.authority == authority && target.host == host)
  }

  @Test(
    arguments: [
      "", "host", ":1", "host:", "host:0", "host:65536", "host:+1", "127.0.0.1:0", "a b:1", "unix:", "unix:a", "::1:1",
      "[::1:1", "h\u{0}:1", "http://host:1",
    ])
  func `is nothing else`(text: String) {
    #expect(ChannelTarget(text) == nil)
  }
}

@Suite struct `A channel` {
  @Test func `connects when there is something to call, and once`() async throws {
    let states = StateLog()
    try await withServerAndChannel {
      $0.onStateChange = { states.append($0) }
    } _: { harness, channel in
      let before = try await channel.loop.run { channel.connectivity }
      #expect(before == .idle)
      async let first = unary(channel)
      async let second = unary(channel)
      #expect(await first == .ok)
      #expect(await second == .ok)
      #expect(states.all == [.connecting, .ready])
    }
    #expect(states.all.last == .shutdown)
  }

  @Test(arguments: ["[::1]:0", "unix"]) func `reaches IPv6 and unix sockets (G-027, G-029)`(text: String) async throws {
    let path = "/tmp/energykit-channel-\(getpid()).sock"
    try await withEventLoop("server") { loop in
      let address = try #require(SocketAddress(text == "unix" ? "unix:\(path)" : text))
      let server = try serve(at: address, on: loop)
      let target = try #require(ChannelTarget(server.addresses[0].description))
      try await withChannel(to: target, on: loop) { channel in #expect(await unary(channel) == .ok) }
      await server.shutdown(graceSeconds: 0)
    }
  }

  @Test func `looks names up`() async throws {
    try await withServer { harness in
      let target = try #require(ChannelTarget("localhost:\(harness.address.port)"))
      try await withChannel(to: target, on: harness.clientLoop) { channel in #expect(await unary(channel) == .ok) }
    }
  }

  @Test func `says which name is unknown`() async throws {
    try await withEventLoop { loop in
      let target = try #require(ChannelTarget("no-such-host.invalid:1"))
      try await withChannel(to: target, on: loop) { channel in
        let status = await unary(channel)
        #expect(status.code == .unavailable && status.message.contains("no-such-host.invalid"))
      }
    }
  }

  @Test func `tries its addresses in turn`() async throws {
    try await withServer { harness in
      let dead = try await deadAddress(on: harness.loop)
      let target = ChannelTarget(addresses: [dead, dead, harness.address], authority: "test")
      try await withChannel(to: target, on: harness.clientLoop) { channel in #expect(await unary(channel) == .ok) }
    }
  }

  @Test func `that reaches nobody fails calls with the reason, unless they wait (Wait for Ready)`() async throws {
    try await withEventLoop { loop in
      let clock = ManualClock()
      let dead = try await deadAddress(on: loop)
      let target = ChannelTarget(addresses: [dead], authority: "test")
      try await withChannel(to: target, on: loop, { $0.clock = clock }) { channel in
        async let patient = unary(channel, "/t.T/Echo", CallOptions(waitsForReady: true))
        let first = await unary(channel)
        #expect(first.code == .unavailable && first.message.contains("ECONNREFUSED"))
        // While the backoff lasts, too.
        #expect(await unary(channel).code == .unavailable)
        let server = try serve(at: dead, on: loop)
        try await clock.advance(1_200, on: loop)
        #expect(await patient == .ok)
        await server.shutdown(graceSeconds: 0)
      }
    }
  }

  @Test func `that waits says at the deadline what it waited for`() async throws {
    try await withEventLoop { loop in
      let dead = try await deadAddress(on: loop)
      let target = ChannelTarget(addresses: [dead], authority: "test")
      try await withChannel(to: target, on: loop) { channel in
        let status = await unary(channel, "/a", CallOptions(timeoutMilliseconds: 50, waitsForReady: true))
        #expect(status.code == .deadlineExceeded && status.message.contains("ECONNREFUSED"))
      }
    }
  }

  @Test func `waits longer from failure to failure (Connection Backoff Protocol)`() async throws {
    try await withEventLoop { loop in
      let clock = ManualClock()
      let states = StateLog()
      let dead = try await deadAddress(on: loop)
      let target = ChannelTarget(addresses: [dead], authority: "test")
      try await withChannel(to: target, on: loop) {
        $0.clock = clock
        $0.chance = { 0.5 }
        $0.onStateChange = { states.append($0) }
      } _: { channel in
        let patient = Task { await unary(channel, "/t.T/Echo", CallOptions(waitsForReady: true)) }
        for (number, pause) in [1_000, 1_600, 2_560, 4_096].enumerated() as EnumeratedSequence<[UInt64]> {
          #expect(await eventually { states.all.count { $0 == .transientFailure } == number + 1 })
          #expect(clock.started.last == pause)
          try await clock.advance(pause - 1, on: loop)
          #expect(states.all.count { $0 == .connecting } == number + 1)
          try await clock.advance(1, on: loop)
          #expect(states.all.count { $0 == .connecting } == number + 2)
        }
        patient.cancel()
        #expect(await patient.value.code == .cancelled)
      }
    }
  }

  @Test func `gives up a server that does not speak in time`() async throws {
    let clock = ManualClock()
    try await withFakeServer(isSilent: true, { $0.clock = clock }, script: { _, _ in }) { server, channel in
      let call = Task { await unary(channel) }
      #expect(await eventually { server.connectionCount == 1 })
      try await clock.advance(19_999, on: channel.loop)
      try await clock.advance(1, on: channel.loop)
      let status = await call.value
      #expect(status.code == .unavailable && status.message.contains("20000 ms"))
    }
  }

  @Test func `fails open calls when the connection is cut, and connects anew for the next`() async throws {
    let script: FakeServer.Script = { connection, request in
      if request.number == 0 { connection.close() } else { connection.echo(request) }
    }
    try await withFakeServer(script: script) { server, channel in
      let status = await unary(channel)
      #expect(status.code == .unavailable)
      #expect(await unary(channel) == .ok)
      #expect(server.connectionCount == 2)
    }
  }

  @Test func `comes back to a server that was started anew`() async throws {
    try await withEventLoop("server") { loop in
      try await withEventLoop("client") { clientLoop in
        let any = try #require(SocketAddress("127.0.0.1:0"))
        let first = try serve(at: any, on: loop)
        let address = first.addresses[0]
        let target = ChannelTarget(addresses: [address], authority: "test")
        try await withChannel(to: target, on: clientLoop, { $0.backoff.initialMilliseconds = 20 }) { channel in
          #expect(await unary(channel) == .ok)
          await first.shutdown(graceSeconds: 0)
          #expect(await unary(channel).code == .unavailable)
          let second = try serve(at: address, on: loop)
          #expect(await unary(channel, "/t.T/Echo", CallOptions(waitsForReady: true)) == .ok)
          await second.shutdown(graceSeconds: 0)
        }
      }
    }
  }

  @Test func `loses no call while its server drains (G-100, G-101)`() async throws {
    try await withServerAndChannel { harness, channel in
      let chat = channel.bidirectionalStream("/t.T/Chat")
      let responses = chat.responses.makeAsyncIterator()
      try await chat.send([1])
      #expect(try await responses.next() == [1])
      let server = harness.server
      let drain = Task { await server.shutdown(graceSeconds: 5) }
      // The server's GOAWAY comes; the call goes on.
      #expect(
        try await eventually { () async throws -> Bool? in
          try await channel.loop.run { channel.connectivity } == .idle ? true : nil
        })
      try await chat.send([2])
      #expect(try await responses.next() == [2])
      chat.finishSending()
      #expect(try await responses.next() == nil)
      await drain.value
      #expect(await unary(channel).code == .unavailable)
    }
  }

  @Test func `that is shut down lets calls finish for a while, and takes no others`() async throws {
    try await withServerAndChannel { _, channel in
      let chat = channel.bidirectionalStream("/t.T/Chat")
      try await chat.send([1])
      let responses = chat.responses.makeAsyncIterator()
      #expect(try await responses.next() == [1])
      let shutdown = Task { await channel.shutdown(graceMilliseconds: 5_000) }
      #expect(
        try await eventually { () async throws -> Bool? in
          try await channel.loop.run { channel.connectivity } == .shutdown ? true : nil
        })
      #expect(await unary(channel).code == .unavailable)
      try await chat.send([2])
      chat.finishSending()
      #expect(try await responses.next() == [2])
      #expect(try await responses.next() == nil)
      await shutdown.value
    }
  }

  @Test func `that is shut down at once ends its calls`() async throws {
    try await withServerAndChannel { harness, channel in
      let call = Task { await unary(channel, "/t.T/Never") }
      #expect(await eventually { harness.record.callsMade == 1 })
      await channel.shutdown()
      #expect(await call.value.code == .unavailable)
      #expect(await eventually { harness.record.ends.count == 1 })
    }
  }

  @Test func `leaves a server that sends it away at once in peace for a while`() async throws {
    let clock = ManualClock()
    try await withFakeServer({ $0.clock = clock }, script: { $0.echo($1) }) { server, channel in
      server.greet = { $0.goAway(lastStreamID: 0) }
      let patient = Task { await unary(channel, "/f", CallOptions(waitsForReady: true)) }
      #expect(await unary(channel).code == .unavailable)
      try await Task.sleep(for: .milliseconds(50))
      #expect(server.connectionCount == 1)
      server.greet = { _ in }
      try await clock.advance(1_200, on: channel.loop)
      #expect(await patient.value == .ok)
    }
  }

  @Test func `survives junk instead of HTTP/2`() async throws {
    try await withEventLoop { loop in
      let any = try #require(SocketAddress("127.0.0.1:0"))
      let listener = try TCPListener(loop: loop, address: any, backlog: 4) { descriptor, _ in
        guard let socket = try? TCPStream(loop: loop, adopting: descriptor) else { return }
        Array("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n".utf8).withUnsafeBytes { socket.write($0) }
        socket.finishWriting()
        socket.startReading()
        socket.delegate = ClosingDelegate()
      }
      let target = ChannelTarget(addresses: [listener.localAddress], authority: "test")
      try await withChannel(to: target, on: loop) { channel in #expect(await unary(channel).code == .unavailable) }
      listener.close()
    }
  }
}

/// Closes when the peer does.
private final class ClosingDelegate: TCPStreamDelegate {
  func stream(_ stream: TCPStream, didRead bytes: UnsafeRawBufferPointer) {}
  func streamDidReachEnd(_ stream: TCPStream) { stream.close() }
  func streamDidDrain(_ stream: TCPStream) {}
  func streamDidClose(_ stream: TCPStream, error: NetworkError?) {}
}

@Suite struct `The keepalive of a channel` {
  private static func settings(_ isPermittedWithoutCalls: Bool = false) -> ClientConfiguration.Keepalive {
    .init(
      timeMilliseconds: 10_000, timeoutMilliseconds: 1_000, isPermittedWithoutCalls: isPermittedWithoutCalls)
  }

  @Test func `finds out that a server has gone silent (gRFC A8)`() async throws {
    let clock = ManualClock()
    try await withFakeServer(
      {
        $0.clock = clock
        $0.keepalive = Self.settings()
      }, script: { _, _ in }
    ) { server, channel in
      let call = Task { await unary(channel) }
      #expect(await eventually { server.requests.count == 1 })
      // An answer to the PING: all is well.
      try await clock.advance(10_000, on: channel.loop)
      #expect(await eventually { server.log.withLock { $0.pingCount } == 1 })
      try await Task.sleep(for: .milliseconds(100))
      try await clock.advance(9_000, on: channel.loop)
      try await server.onConnection { $0.isMute = true }
      try await clock.advance(1_000, on: channel.loop)
      #expect(await eventually { server.log.withLock { $0.pingCount } == 2 })
      try await clock.advance(1_000, on: channel.loop)
      let status = await call.value
      #expect(status.code == .unavailable && status.message.contains("PING"))
    }
  }

  @Test(arguments: [true, false])
  func `asks without calls only where it may (gRFC A8)`(isPermitted: Bool) async throws {
    let clock = ManualClock()
    try await withFakeServer(
      {
        $0.clock = clock
        $0.keepalive = Self.settings(isPermitted)
      }, script: { $0.echo($1) }
    ) { server, channel in
      #expect(await unary(channel) == .ok)
      try await clock.advance(10_000, on: channel.loop)
      try await Task.sleep(for: .milliseconds(30))
      #expect(server.log.withLock { $0.pingCount } == (isPermitted ? 1 : 0))
      // The next call has it asked again.
      let open = channel.serverStream("/f", []).stream
      _ = await open.status()
    }
  }

  @Test func `slows down where the server asks for calm (gRFC A8)`() async throws {
    let clock = ManualClock()
    let script: FakeServer.Script = { connection, request in
      if request.number == 0 { connection.goAway(lastStreamID: 0, code: 11) } else { connection.echo(request) }
    }
    try await withFakeServer(
      {
        $0.clock = clock
        $0.keepalive = .init(timeMilliseconds: 7_000)
      }, script: script
    ) { server, channel in
      #expect(await unary(channel) == .ok)
      #expect(server.connectionCount == 2)
      #expect(clock.started.filter { $0 == 7_000 || $0 == 14_000 } == [7_000, 14_000])
    }
  }
}
