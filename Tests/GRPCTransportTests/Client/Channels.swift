import GRPC
import GRPCTransport
import HTTP2
import Locking
import NetworkIO
import TestSupport
import Testing

/// Changes of a channel's state, from any thread.
final class StateLog: Sendable {
  private let states = Lock<[ClientChannel.Connectivity]>([])

  var all: [ClientChannel.Connectivity] { states.withLock { $0 } }
  func append(_ state: ClientChannel.Connectivity) { states.withLock { $0.append(state) } }
}

/// Gives `body` a channel, which is shut down afterwards.
func withChannel<Result: Sendable>(
  to target: ChannelTarget, on loop: EventLoop, _ configure: (inout ClientConfiguration) -> Void = { _ in },
  _ body: (ClientChannel) async throws -> Result
) async throws -> Result {
  var configuration = ClientConfiguration(target: target, loop: loop)
  configure(&configuration)
  let channel = ClientChannel(configuration)
  do {
    let result = try await body(channel)
    await channel.shutdown()
    return result
  } catch {
    await channel.shutdown()
    throw error
  }
}

/// Gives `body` a server and a channel to it.
func withServerAndChannel(
  limits: CallLimits = CallLimits(), _ configure: (inout ClientConfiguration) -> Void = { _ in },
  _ body: (Harness, ClientChannel) async throws -> Void
) async throws {
  try await withServer(limits: limits) { harness in
    let target = ChannelTarget(addresses: [harness.address], authority: "test")
    try await withChannel(to: target, on: harness.clientLoop, configure) { channel in
      try await body(harness, channel)
    }
  }
}

/// Gives `body` a server with a script and a channel to it.
func withFakeServer(
  settings: HTTP2Settings = HTTP2Settings(), isSilent: Bool = false,
  _ configure: (inout ClientConfiguration) -> Void = { _ in }, script: @escaping FakeServer.Script,
  _ body: (FakeServer, ClientChannel) async throws -> Void
) async throws {
  try await withEventLoop("fake") { loop in
    try await withEventLoop("clients") { clientLoop in
      let server = try FakeServer(on: loop, settings: settings, isSilent: isSilent, script: script)
      guard let address = server.address else { return }
      let target = ChannelTarget(addresses: [address], authority: "test")
      do {
        try await withChannel(to: target, on: clientLoop, configure) { channel in try await body(server, channel) }
      } catch {
        try await server.close()
        throw error
      }
      try await server.close()
    }
  }
}

extension CallOptions {
  init(timeoutMilliseconds: UInt64? = nil, waitsForReady: Bool = false, keepsMetadata: Bool = false) {
    self.init()
    self.timeoutMilliseconds = timeoutMilliseconds
    self.waitsForReady = waitsForReady
    self.keepsMetadata = keepsMetadata
  }
}

/// How a call ended; `.ok` where it gave an answer.
func statusOf(_ body: () async throws(Status) -> some Any) async -> Status {
  do throws(Status) {
    _ = try await body()
    return .ok
  } catch {
    return error
  }
}

extension ResponseSequence {
  /// All messages, and how the call ended.
  func collected() async -> (messages: [[UInt8]], status: Status) {
    var messages: [[UInt8]] = []
    do throws(Status) {
      for try await message in self { messages.append(message) }
      return (messages, .ok)
    } catch {
      return (messages, error)
    }
  }
}

// Without typed errors, which the macros of the tests do not take everywhere.

extension ClientChannel {
  func message(_ path: String, _ request: [UInt8]) async throws -> [UInt8] {
    try await unary(path, request).message
  }
}

extension ClientStream {
  func message() async throws -> [UInt8] {
    try await response().message
  }
}
