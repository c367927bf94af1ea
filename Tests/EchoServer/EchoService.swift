import GRPC
import GRPCTransport
import Glibc

/// A message of `m`s that exists only where it is written.
private struct Filler: OutgoingMessage {
  let byteCount: Int

  func write(into buffer: UnsafeMutableRawBufferPointer) {
    buffer.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "m"))
  }
}

/// `grpc.echo.v1.Echo`: every kind of call, with bytes for messages, for the tests of the transport.
struct EchoService {
  private struct Unexpected: Error {}

  let counters: EchoCounters
  /// The loop's own.
  let broadcast: LoopBroadcast
  let hub: EchoHub

  var methods: [Method] {
    plainMethods + failingMethods + waitingMethods + streamingMethods + broadcastMethods
      + [squeezedStream]
  }

  private func method(
    _ name: String, _ handler: MethodHandler, maximum: Int = 4 << 20, keepsMetadata: Bool = false,
    compressesAnswers: Bool = false, maximumCallsAtWork: Int? = nil, isLongLived: Bool = false
  ) -> Method {
    Method(
      path: "/grpc.echo.v1.Echo/\(name)", handler: handler, maximumRequestByteCount: maximum,
      keepsMetadata: keepsMetadata, compressesAnswers: compressesAnswers, maximumCallsAtWork: maximumCallsAtWork,
      isLongLived: isLongLived)
  }

  // MARK: - Answered at once

  private var plainMethods: [Method] {
    [
      method("Unary", .oneRequest(Self.echo)),
      method("Small", .oneRequest(Self.echo), maximum: 16),
      method(
        "Length",
        .oneRequest { call, request in
          call.send(Array(String(request.count).utf8))
          call.finish(.ok)
        }),
      // As `Unary`, compressed where the client takes it.
      method("Squeeze", .oneRequest(Self.echo), compressesAnswers: true),
      // The caller's metadata as initial metadata, as trailers and as text.
      method("Metadata", .oneRequest { call, _ in Self.echoMetadata(call) }, keepsMetadata: true),
      // What is known of the caller: address, then subject and names of the certificate, a line each.
      method(
        "Peer",
        .oneRequest { call, _ in
          let shown = call.peer.certificate
          let names = (shown?.dnsNames ?? []).map { "DNS:\($0)" } + (shown?.uris ?? []).map { "URI:\($0)" }
          let lines = [call.peer.peer] + (shown.map { [$0.subject] } ?? []) + names
          call.send(Array(lines.joined(separator: "\n").utf8))
          call.finish(.ok)
        }),
      // What else is known of the call, a line each; `keepsMetadata` asks for the authority.
      method(
        "Head",
        .oneRequest { call, _ in
          let left = call.deadline.map { "\($0.milliseconds &- call.executor.nowMilliseconds)" } ?? "none"
          let lines = ["authority \(call.authority)", "peer \(call.peer.peer)", "deadline \(left)"]
          call.send(Array(lines.joined(separator: "\n").utf8))
          call.finish(.ok)
        }, keepsMetadata: true),
      // Metadata that may not be sent, and some that may, early and late.
      method("BadMetadata", .oneRequest { call, _ in Self.sendBadMetadata(call) }),
      method(
        "Stats",
        .oneRequest { [counters] call, _ in
          call.send(Array(counters.text.utf8))
          call.finish(.ok)
        }),
    ]
  }

  private static func echo(_ call: any ServerCall, _ request: UnsafeRawBufferPointer) {
    call.send(byteCount: request.count) { $0.copyMemory(from: request) }
    call.finish(.ok)
  }

  private static func sendBadMetadata(_ call: any ServerCall) {
    let fields = [
      ("X-Upper", "ok"), ("x-lf", "a\nb"), ("x-cr", "a\rb"), ("x-nul", "a\0b"), ("x-high", "é"), ("", "a"),
      (":status", "500"), ("grpc-status", "0"), ("grpc-encoding", "gzip"), ("content-type", "x"),
      ("connection", "close"),
      ("te", "x"), ("x y", "a"), ("x-any-bin", "\r\n\0"), ("x-ok", "1"),
    ]
    let metadata = Metadata(fields.map { .init(name: $0.0, value: Array($0.1.utf8)) })
    call.setInitialMetadata(metadata)
    call.send([UInt8]())
    call.finish(Status(.aborted, trailers: metadata))
  }

  private static func echoMetadata(_ call: any ServerCall) {
    call.setInitialMetadata(call.metadata)
    let lines = call.metadata.fields.map {
      "\($0.name)=\($0.value.map { String($0, radix: 16) }.joined(separator: "."))"
    }
    call.send(Array(lines.joined(separator: "\n").utf8))
    call.finish(Status(.ok, trailers: call.metadata))
  }

  // MARK: - Failing

  private var failingMethods: [Method] {
    [
      method("Fail", .oneRequest { call, request in call.finish(EchoRequest(request).status) }),
      // One message, then the status.
      method(
        "FailLate",
        .oneRequest { call, request in
          call.send(Array("before".utf8))
          call.finish(EchoRequest(request).status)
        }),
      method("Throw", .asyncUnary(decoding: EchoRequest.init) { _, _ -> [UInt8] in throw Unexpected() }),
      // Refuses a stream of requests before it has read any.
      method(
        "Refuse", .asyncBidirectional(decoding: EchoRequest.init) { _, _ in throw Status(.permissionDenied, "no") }),
    ]
  }

  // MARK: - Waiting

  private var waitingMethods: [Method] {
    [
      method(
        "UnaryAsync",
        .asyncUnary(decoding: EchoRequest.init) { _, request in
          await Task.yield()
          return request.bytes
        }),
      // MILLISECONDS
      method(
        "Sleep",
        .asyncUnary(decoding: EchoRequest.init) { [counters] _, request in
          try await counters.counting {
            try await Task.sleep(for: .milliseconds(request.number(0)))
            return Array("slept".utf8)
          }
        }),
      // As `Sleep`, four at once.
      method("Narrow", .asyncUnary(decoding: EchoRequest.init, Self.sleep), maximumCallsAtWork: 4),
      // Answers its own cancellation with OK, which must not become the call's status (G-038).
      method(
        "Stubborn",
        .asyncUnary(decoding: EchoRequest.init) { [counters] _, _ in
          try await counters.counting {
            try? await Task.sleep(for: .seconds(3_600))
            return Array("cancelled".utf8)
          }
        }),
      // Counts itself as a request received; `Stats` says how many.
      method(
        "Counted",
        .oneRequest { [counters] call, _ in
          counters.countReceived()
          call.finish(.ok)
        }),
      // MILLISECONDS in which its loop does nothing else.
      method(
        "Busy",
        .oneRequest { call, request in
          usleep(UInt32(clamping: EchoRequest(request).number(0) * 1_000))
          call.finish(.ok)
        }),
      // As `Sleep`, but hears of no cancellation.
      method(
        "Deaf",
        .asyncUnary(decoding: EchoRequest.init) { [counters] _, request in
          try await counters.counting {
            await Task { try? await Task.sleep(for: .milliseconds(request.number(0))) }.value
            return Array("slept".utf8)
          }
        }),
      // COUNT BYTES MILLISECONDS-BETWEEN
      method(
        "ServerStream",
        .asyncServerStream(decoding: EchoRequest.init) { [counters] call, request in
          try await counters.counting { try await Self.pour(request, into: call) }
        }),
    ]
  }

  private static func sleep(_ call: AsyncCall, _ request: EchoRequest) async throws -> [UInt8] {
    try await Task.sleep(for: .milliseconds(request.number(0)))
    return Array("slept".utf8)
  }

  /// COUNT BYTES MILLISECONDS-BETWEEN, as `ServerStream`, compressed where the client takes it.
  private var squeezedStream: Method {
    method(
      "SqueezeStream",
      .asyncServerStream(decoding: EchoRequest.init) { call, request in
        call.serverCall.sendHeaders()
        try await Self.pour(request, into: call)
      }, compressesAnswers: true)
  }

  private static func pour(_ request: EchoRequest, into call: AsyncCall) async throws {
    let message = Filler(byteCount: min(max(request.number(1), 0), 64 << 20))
    for index in 0..<max(request.number(0), 0) {
      if index > 0 && request.number(2) > 0 { try await Task.sleep(for: .milliseconds(request.number(2))) }
      try await call.send(message)
    }
  }

  // MARK: - Streams of requests

  private var streamingMethods: [Method] {
    [
      // The number of messages and of bytes.
      method(
        "ClientStream",
        .asyncClientStream(decoding: EchoRequest.init) { [counters] _, requests in
          try await counters.counting {
            var count = 0
            var byteCount = 0
            for try await request in requests {
              count += 1
              byteCount += request.bytes.count
            }
            return Array("\(count) \(byteCount)".utf8)
          }
        }),
      method(
        "Bidi",
        .asyncBidirectional(decoding: EchoRequest.init) { [counters] call, requests in
          try await counters.counting {
            for try await request in requests { try await call.send(request.bytes) }
          }
        }),
      // Takes a request every 50 ms; `Stats` says how many it has taken.
      method(
        "SlowReader",
        .asyncClientStream(decoding: EchoRequest.init) { [counters] _, requests in
          try await counters.counting {
            for try await _ in requests {
              counters.countReceived()
              try await Task.sleep(for: .milliseconds(50))
            }
            return Array("read".utf8)
          }
        }),
      // Three more messages after the client's half-close.
      method(
        "HalfClose",
        .asyncBidirectional(decoding: EchoRequest.init) { call, requests in
          var count = 0
          for try await _ in requests { count += 1 }
          for index in 0..<3 {
            try await Task.sleep(for: .milliseconds(20))
            try await call.send(Array("\(count) \(index)".utf8))
          }
        }),
    ]
  }

  // MARK: - Broadcast

  private var broadcastMethods: [Method] {
    [
      // NAME; every message published comes as NAME:MESSAGE.
      method(
        "Subscribe",
        .oneRequest { [broadcast] call, name in
          call.sendHeaders()
          broadcast.join(call, as: EchoSubscriber(name: name), offersNewest: true)
        }, isLongLived: true),
      method(
        "Publish",
        .oneRequest { [hub] call, message in
          hub.publish(SharedMessage(Array(message)))
          call.send([UInt8]())
          call.finish(.ok)
        }),
      // As `Fail`, for every subscriber.
      method(
        "FinishAll",
        .oneRequest { [hub] call, request in
          hub.finishAll(EchoRequest(request).status)
          call.send([UInt8]())
          call.finish(.ok)
        }),
    ]
  }
}
