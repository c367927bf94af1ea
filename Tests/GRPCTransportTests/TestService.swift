import GRPC
import GRPCTransport
import HTTP2
import Locking
import NetworkIO
import TLS
import TestSupport

/// What the handlers of a test's service saw, from any thread.
final class Record: Sendable {
  struct Entries {
    var ends: [CallEnd] = []
    var messages: [[UInt8]] = []
    var halfCloses = 0
    var callsMade = 0
    var roomCount = 0
    var largestBuffer = 0
  }

  private let entries = Lock(Entries())

  var ends: [CallEnd] { entries.withLock { $0.ends } }
  var messages: [[UInt8]] { entries.withLock { $0.messages } }
  var halfCloses: Int { entries.withLock { $0.halfCloses } }
  var callsMade: Int { entries.withLock { $0.callsMade } }
  var roomCount: Int { entries.withLock { $0.roomCount } }
  var largestBuffer: Int { entries.withLock { $0.largestBuffer } }

  func change(_ body: @Sendable (inout Entries) -> Void) {
    entries.withLock { body(&$0) }
  }
}

/// Writes down how a call ends, and sends on when there is room.
final class Observer: CallObserver {
  let record: Record
  var onRoom: ((any ServerCall) -> Void)?

  init(_ record: Record) {
    self.record = record
  }

  func callEnded(_ call: any ServerCall, _ end: CallEnd) {
    record.change { $0.ends.append(end) }
    onRoom = nil
  }

  func callCanSend(_ call: any ServerCall) {
    record.change { $0.roomCount += 1 }
    onRoom?(call)
  }
}

/// Sends what it receives, or adds it up; slow ones wait for `go`.
final class Consumer: RequestConsumer {
  enum Kind {
    case echo, sum, slow
    /// Never takes a second message.
    case stuck
  }

  let call: any ServerCall
  let kind: Kind
  let record: Record
  private var byteCount = 0

  init(_ call: any ServerCall, _ kind: Kind, _ record: Record) {
    self.call = call
    self.kind = kind
    self.record = record
  }

  func receive(_ message: UnsafeRawBufferPointer, ready: @escaping () -> Void) -> Bool {
    let copy = Array(message)
    record.change { $0.messages.append(copy) }
    byteCount += message.count
    switch kind {
    case .echo:
      call.send(copy)
      return true
    case .sum:
      return true
    case .slow:
      nonisolated(unsafe) let ready = ready
      let executor = call.executor
      Task.detached {
        try? await Task.sleep(for: .milliseconds(5))
        executor.execute { ready() }
      }
      return false
    case .stuck:
      return false
    }
  }

  func receiveEnd() {
    record.change { $0.halfCloses += 1 }
    switch kind {
    case .echo: break
    case .sum, .slow, .stuck: call.send(Array(String(byteCount).utf8))
    }
    call.finish(.ok)
  }
}

extension ServerCall {
  func send(_ bytes: [UInt8]) {
    send(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
  }
}

/// Who may call: everyone but those who say `no`; of those who say `later`, the first letter after it decides.
final class TestAdmission: Admission {
  final class Caller {}

  private let broadcasts: Broadcasts

  init(_ broadcasts: Broadcasts) {
    self.broadcasts = broadcasts
  }

  func admit(
    _ head: RequestHead, to method: Method, call: any ServerCall, connection: ConnectionContext
  ) -> AdmissionDecision {
    let word = head.withValue(.authorization) { String(decoding: $0, as: UTF8.self) }
    switch word {
    case "track":
      broadcasts.calls.append(WeakCall(call))
      return .admitted(Caller())
    case "no": return .refused(Status(.unauthenticated, "who are you"))
    case "later-yes", "later-no":
      let ticket = AdmissionTicket()
      nonisolated(unsafe) let kept = ticket
      let executor = call.executor
      Task.detached {
        try? await Task.sleep(for: .milliseconds(20))
        executor.execute {
          kept.resolve(word == "later-yes" ? .admitted(Caller()) : .refused(Status(.unauthenticated, "who are you")))
        }
      }
      return .pending(ticket)
    default: return .admitted(Caller())
    }
  }
}

/// A subscriber whose prefix is its own number of bytes.
final class Subscriber: BroadcastSubscriber {
  let prefix: [UInt8]
  init(_ prefix: [UInt8]) { self.prefix = prefix }
  func prefixByteCount(before sharedByteCount: Int) -> Int { prefix.count }
  func writePrefix(before sharedByteCount: Int, into buffer: UnsafeMutableRawBufferPointer) {
    buffer.copyBytes(from: prefix)
  }
}

/// The broadcasts of a test's loops, used on them.
final class Broadcasts: @unchecked Sendable {
  var all: [LoopBroadcast] = []
  /// The calls that were made, as long as they live.
  var calls: [WeakCall] = []
}

final class WeakCall {
  weak var call: (any ServerCall)?
  init(_ call: any ServerCall) { self.call = call }
}

enum TestService {
  static func make(_ executor: any CallExecutor, _ record: Record, _ broadcasts: Broadcasts) -> Service {
    let broadcast = LoopBroadcast(on: executor)
    broadcasts.all.append(broadcast)
    let unary: [Method] = [
      Method(
        path: "/t.T/Echo",
        handler: .oneRequest { call, message in
          record.change { $0.callsMade += 1 }
          call.send(byteCount: message.count) { $0.copyMemory(from: message) }
          call.finish(.ok)
        }),
      Method(
        path: "/t.T/Small",
        handler: .oneRequest { call, message in
          call.send(byteCount: message.count) { $0.copyMemory(from: message) }
          call.finish(.ok)
        }, maximumRequestByteCount: 1_000),
      Method(
        path: "/t.T/Fail",
        handler: .oneRequest { call, _ in
          call.finish(Status(.invalidArgument, "wrong: 100%", details: [1, 2, 3]))
        }),
      Method(
        path: "/t.T/Never",
        handler: .oneRequest { call, _ in
          record.change { $0.callsMade += 1 }
          broadcasts.calls.append(WeakCall(call))
          call.observer = Observer(record)
        }),
      // Keeps more of its request than there is.
      Method(
        path: "/t.T/Keep",
        handler: .oneRequest { call, _ in
          call.keptByteCount = 150_000
          call.observer = Observer(record)
        }),
      Method(
        path: "/t.T/Meta",
        handler: .oneRequest { call, _ in
          call.setInitialMetadata(call.metadata)
          call.send([1])
          call.finish(.ok)
        }, keepsMetadata: true),
      Method(
        path: "/t.T/Caller",
        handler: .oneRequest { call, _ in
          call.send(Array((call.caller is TestAdmission.Caller ? "yes" : "no").utf8))
          call.finish(.ok)
        }),
    ]
    let streams: [Method] = [
      Method(
        path: "/t.T/Count",
        handler: .oneRequest { call, message in
          for index in 0..<(message.first ?? 0) { call.send([index]) }
          call.finish(.ok)
        }),
      Method(
        path: "/t.T/Open",
        handler: .oneRequest { call, _ in
          call.observer = Observer(record)
          call.sendHeaders()
        }),
      Method(path: "/t.T/Flood", handler: .oneRequest { call, message in flood(call, message.first ?? 0, record) }),
      Method(
        path: "/t.T/Subscribe",
        handler: .oneRequest { call, message in
          call.observer = Observer(record)
          call.sendHeaders()
          broadcasts.calls.append(WeakCall(call))
          broadcast.join(call, as: Subscriber(Array(message)), offersNewest: true)
        }),
      Method(path: "/t.T/Sum", handler: .manyRequests { Consumer($0, .sum, record) }),
      Method(path: "/t.T/Slow", handler: .manyRequests { Consumer($0, .slow, record) }),
      Method(path: "/t.T/Stuck", handler: .manyRequests { Consumer($0, .stuck, record) }),
      Method(
        path: "/t.T/Chat",
        handler: .manyRequests { call in
          call.observer = Observer(record)
          return Consumer(call, .echo, record)
        }),
    ]
    return Service(router: Router(unary + streams), admission: TestAdmission(broadcasts))
  }

  /// Sends `count` messages of 10,000 bytes as there is room.
  private static func flood(_ call: any ServerCall, _ count: UInt8, _ record: Record) {
    let observer = Observer(record)
    var left = Int(count)
    let go: (any ServerCall) -> Void = { call in
      while left > 0, call.bufferedByteCount <= CallLimits.bufferedBytes {
        left -= 1
        call.send([UInt8](repeating: UInt8(left), count: 10_000))
        let buffered = call.bufferedByteCount
        record.change { $0.largestBuffer = max($0.largestBuffer, buffered) }
      }
      if left == 0 { call.finish(.ok) }
    }
    observer.onRoom = go
    call.observer = observer
    go(call)
  }
}

/// A server and a loop for its clients.
struct Harness {
  let server: GRPCServer
  let loop: EventLoop
  let record: Record
  let broadcasts: Broadcasts
  let clientLoop: EventLoop

  var address: SocketAddress { server.addresses[0] }

  func client(_ settings: HTTP2Settings = HTTP2Settings()) async throws -> TestClient {
    try await TestClient.connect(to: address, loop: clientLoop, settings: settings)
  }
}

extension Harness {
  /// Calls that said `track` and are in memory.
  func trackedCount() async throws -> Int {
    try await loop.run { broadcasts.calls.count { $0.call != nil } }
  }

  func openTrackedCount() async throws -> Int {
    try await loop.run { broadcasts.calls.count { $0.call?.hasEnded == false } }
  }
}

/// Gives `body` a server, which must leave nothing behind.
func withServer(
  limits: CallLimits = CallLimits(), security: ListenerSecurity = .clear,
  onSecurityProblem: @escaping @Sendable (String, TLSError) -> Void = { _, _ in },
  _ body: (Harness) async throws -> Void
) async throws {
  try await withEventLoop("server") { loop in
    try await withEventLoop("clients") { clientLoop in
      let record = Record()
      let broadcasts = Broadcasts()
      guard let any = SocketAddress("127.0.0.1:0") else { return }
      let server = try GRPCServer(
        GRPCServer.Configuration(
          listeners: [.init(address: any, security: security)], loops: [loop], limits: limits,
          onSecurityProblem: onSecurityProblem
        ) {
          TestService.make($0, record, broadcasts)
        })
      let harness = Harness(
        server: server, loop: loop, record: record, broadcasts: broadcasts, clientLoop: clientLoop)
      do {
        try await body(harness)
      } catch {
        await server.shutdown(graceSeconds: 0)
        throw error
      }
      await server.shutdown(graceSeconds: 0)
    }
  }
}
