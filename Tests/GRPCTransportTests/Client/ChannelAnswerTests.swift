import GRPC
import GRPCTransport
import HTTP2
import Locking
import TestSupport
import Testing

private let grpc = [(":status", "200"), ("content-type", "application/grpc")]

private func status(
  _ kind: ClientMethod.Kind = .unary, script: @escaping FakeServer.Script
) async throws -> Status {
  let outcome = StatusBox()
  try await withFakeServer(script: script) { _, channel in
    switch kind {
    case .unary, .clientStream:
      await outcome.set(statusOf { () async throws(Status) in try await channel.unary("/f", [1]) })
    case .serverStream, .bidirectional:
      await outcome.set(channel.serverStream("/f", [1]).collected().status)
    }
  }
  return await outcome.status
}

private actor StatusBox {
  var status = Status.ok
  func set(_ status: Status) { self.status = status }
}

@Suite struct `An answer to a channel` {
  @Test(
    arguments: [
      ("400", .internal), ("401", .unauthenticated), ("403", .permissionDenied), ("404", .unimplemented),
      ("429", .unavailable), ("502", .unavailable), ("503", .unavailable), ("504", .unavailable), ("418", .unknown),
    ] as [(String, StatusCode)], [true, false])
  func `by HTTP alone has the code of its status (G-070)`(answer: (String, StatusCode), ends: Bool) async throws {
    let status = try await status { connection, request in
      connection.respond(request, headers: [(":status", answer.0), ("content-type", "text/html")], ends: ends)
    }
    #expect(status.code == answer.1)
  }

  @Test(
    arguments: [
      (0, .internal), (1, .internal), (2, .internal), (3, .internal), (7, .unavailable), (8, .cancelled),
      (11, .resourceExhausted), (12, .permissionDenied), (99, .internal),
    ] as [(UInt32, StatusCode)], [true, false])
  func `by RST_STREAM has the code of its error (G-071)`(answer: (UInt32, StatusCode), began: Bool) async throws {
    let status = try await status { connection, request in
      if began { connection.respond(request) }
      connection.reset(request, answer.0)
    }
    #expect(status.code == answer.1)
  }

  @Test func `may be preceded by an informational one`() async throws {
    let status = try await status { connection, request in
      connection.respond(request, headers: [(":status", "103")])
      connection.echo(request)
    }
    #expect(status == .ok)
  }

  @Test func `of another content type is UNKNOWN`() async throws {
    let status = try await status { connection, request in
      connection.respond(
        request, headers: [(":status", "200"), ("content-type", "text/html")], body: Array("<p>".utf8))
    }
    #expect(status.code == .unknown)
  }

  @Test func `that ends without trailers is INTERNAL`() async throws {
    let status = try await status { connection, request in
      connection.respond(request, headers: grpc, body: TestClient.framed([1]), ends: true)
    }
    #expect(status.code == .internal)
  }

  @Test func `with trailers that have no status is UNKNOWN (G-066)`() async throws {
    let status = try await status { connection, request in
      connection.respond(request, body: TestClient.framed([1]), trailers: [("x", "y")])
    }
    #expect(status.code == .unknown)
  }

  @Test(
    arguments: [
      ([0, 0, 0, 0, 9, 1], .internal), ([0, 0, 0], .internal), ([1, 0, 0, 0, 1, 1], .internal),
      ([2, 0, 0, 0, 1, 1], .internal), ([0, 255, 255, 255, 255], .resourceExhausted),
    ] as [([UInt8], StatusCode)])
  func `of broken messages fails (G-051, G-052, G-053, G-056)`(body: [UInt8], code: StatusCode) async throws {
    let status = try await status { connection, request in
      connection.respond(request, body: body, trailers: [("grpc-status", "0")])
    }
    #expect(status.code == code)
  }

  @Test(arguments: [0, 2]) func `that should have one message and has not is UNIMPLEMENTED (G-058, G-059)`(
    count: Int
  ) async throws {
    let script: FakeServer.Script = { connection, request in
      let body = (0..<count).flatMap { _ in TestClient.framed([1]) }
      connection.respond(request, body: body, trailers: [("grpc-status", "0")])
    }
    #expect(try await status(.unary, script: script).code == .unimplemented)
    #expect(try await status(.serverStream, script: script) == .ok)
  }

  @Test func `with more headers than allowed costs the call only (G-046)`() async throws {
    let script: FakeServer.Script = { connection, request in
      guard request.number == 0 else { return connection.echo(request) }
      let long = String(repeating: "x", count: 1_000)
      connection.trailersOnly(request, [("grpc-status", "0")] + (0..<20).map { ("x-\($0)", long) })
    }
    try await withFakeServer(script: script) { server, channel in
      let status = await statusOf { () async throws(Status) in try await channel.unary("/f", []) }
      #expect(status.code == .resourceExhausted)
      let next = try await channel.message("/f", [])
      #expect(next == [7])
      #expect(server.connectionCount == 1)
    }
  }

  @Test func `with far more costs the connection, not the channel (G-153)`() async throws {
    let script: FakeServer.Script = { connection, request in
      guard request.number == 0 else { return connection.echo(request) }
      connection.trailersOnly(request, [("grpc-status", "0")] + (0..<2_000).map { ("x-\($0)", "y") })
    }
    try await withFakeServer(script: script) { server, channel in
      let status = await statusOf { () async throws(Status) in try await channel.unary("/f", []) }
      #expect(status.code == .unavailable)
      let next = try await channel.message("/f", [])
      #expect(next == [7])
      #expect(server.connectionCount == 2)
    }
  }

  @Test(arguments: [true, false])
  func `that comes before the request has ended frees the stream, whoever resets it (G-072)`(
    serverResets: Bool
  ) async throws {
    var settings = HTTP2Settings()
    settings.maximumStreamCount = 1
    let script: FakeServer.Script = { connection, request in
      if serverResets {
        connection.trailersOnly(request, [("grpc-status", "9")])
      } else {
        connection.trailersOnlyWithoutReset(request, status: 9)
      }
    }
    try await withFakeServer(settings: settings, script: script) { server, channel in
      for _ in 0..<3 {
        let stream = channel.clientStream("/f", CallOptions(timeoutMilliseconds: 5_000))
        #expect(await stream.status().code == .failedPrecondition)
      }
      #expect(server.connectionCount == 1)
      // Not more resets than there have to be: servers count them.
      #expect(await eventually { server.log.withLock { $0.closeCodes } == (serverResets ? [0, 0, 0] : [8, 8, 8]) })
    }
  }
}
