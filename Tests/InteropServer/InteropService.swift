import GRPC
import ProtobufWire

/// `grpc.testing.TestService` on one loop, as the descriptions of gRPC's interoperability tests want it. Of its methods
/// UnimplementedCall is not served, which is what that one is for.
struct InteropService {
  static let name = "grpc.testing.TestService"

  private let arena = DecodeArena()

  var methods: [Method] {
    [
      method("EmptyCall", .oneRequest { call, _ in Self.answer(call) { [] } }),
      method("UnaryCall", .oneRequest(unary)),
      method("CacheableUnaryCall", .oneRequest(unary)),
      method("StreamingInputCall", .manyRequests { InputStream($0, arena) }),
      method(
        "StreamingOutputCall",
        .asyncServerStream(decoding: decode) { call, request in
          let trailers = Self.echoMetadata(of: call.serverCall)
          try await Self.send(request, to: call)
          throw Status(.ok, trailers: trailers)
        }),
      method(
        "FullDuplexCall",
        .asyncBidirectional(decoding: decode) { call, requests in
          let trailers = Self.echoMetadata(of: call.serverCall)
          for try await request in requests { try await Self.send(request, to: call) }
          throw Status(.ok, trailers: trailers)
        }),
      method("HalfDuplexCall", .asyncBidirectional(decoding: decode, Self.answerLate)),
    ]
  }

  private func method(_ name: String, _ handler: MethodHandler) -> Method {
    Method(
      path: "/\(Self.name)/\(name)", handler: handler, maximumRequestByteCount: 16 << 20, keepsMetadata: true,
      compressesAnswers: true)
  }

  private var decode: (UnsafeRawBufferPointer) throws -> OutputRequest {
    { [arena] message in try OutputRequest(decoding: message, arena) }
  }

  // MARK: - One request, one answer

  private func unary(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    Self.answer(call) { () throws(Status) -> [UInt8] in
      let request = try SimpleRequest(decoding: message, arena)
      try Self.check(request.expectsCompressed, of: call)
      if let wanted = request.wantedStatus, wanted.status.code != .ok { throw wanted.status }
      call.compressesMessages = request.responseIsCompressed
      return PayloadResponse(bodyByteCount: request.responseByteCount).encodedBytes
    }
  }

  private static func answer(_ call: any ServerCall, _ body: () throws(Status) -> [UInt8]) {
    let trailers = echoMetadata(of: call)
    do throws(Status) {
      call.send(try body())
      call.finish(Status(.ok, trailers: trailers))
    } catch {
      call.finish(Status(error.code, error.message, trailers: trailers))
    }
  }

  // MARK: - Streams

  private static func send(_ request: OutputRequest, to call: AsyncCall) async throws {
    for response in request.responses {
      if response.intervalMicroseconds > 0 {
        try await Task.sleep(for: .microseconds(Int(response.intervalMicroseconds)))
      }
      call.serverCall.compressesMessages = response.isCompressed
      try await call.send(PayloadResponse(bodyByteCount: response.byteCount))
    }
    if let wanted = request.wantedStatus, wanted.status.code != .ok { throw wanted.status }
  }

  /// All requests first, then all answers.
  private static func answerLate(_ call: AsyncCall, _ requests: RequestSequence<OutputRequest>) async throws {
    let trailers = echoMetadata(of: call.serverCall)
    var kept: [OutputRequest] = []
    for try await request in requests {
      kept.append(request)
      guard kept.count <= 1_000 else { throw Status(.resourceExhausted, "more than 1000 requests") }
    }
    for request in kept { try await send(request, to: call) }
    throw Status(.ok, trailers: trailers)
  }

  // MARK: - Rules

  /// Sends the caller's `x-grpc-test-echo-initial` back in the headers, and returns its
  /// `x-grpc-test-echo-trailing-bin` for the trailers.
  static func echoMetadata(of call: any ServerCall) -> Metadata {
    let fields = call.metadata.fields
    call.setInitialMetadata(Metadata(fields.filter { $0.name == "x-grpc-test-echo-initial" }))
    call.sendHeaders()
    return Metadata(fields.filter { $0.name == "x-grpc-test-echo-trailing-bin" })
  }

  static func check(_ expectsCompressed: Bool?, of call: any ServerCall) throws(Status) {
    guard let expectsCompressed, expectsCompressed != call.messageWasCompressed else { return }
    throw Status(.invalidArgument, "expect_compressed: \(expectsCompressed), but the message was the other way")
  }
}

/// Adds up the payloads of a `StreamingInputCall`.
private final class InputStream: RequestConsumer {
  private let call: any ServerCall
  private let arena: DecodeArena
  private var byteCount = 0
  private let trailers: Metadata

  init(_ call: any ServerCall, _ arena: DecodeArena) {
    self.call = call
    self.arena = arena
    trailers = InteropService.echoMetadata(of: call)
  }

  func receive(_ message: UnsafeRawBufferPointer, ready: @escaping () -> Void) -> Bool {
    do throws(Status) {
      let request = try InputRequest(decoding: message, arena)
      try InteropService.check(request.expectsCompressed, of: call)
      // As many as fit the field that they are told in.
      guard byteCount + request.payloadByteCount <= Int(Int32.max) else {
        throw Status(.outOfRange, "the payloads are more than 2 GiB")
      }
      byteCount += request.payloadByteCount
      return true
    } catch {
      call.finish(error)
      return false
    }
  }

  func receiveEnd() {
    call.send(SumResponse(byteCount: byteCount).encodedBytes)
    call.finish(Status(.ok, trailers: trailers))
  }
}
