import CProtobufC
import CTestingProto
import GRPC
import ProtobufWire

/// `grpc.testing.EchoStatus`: the status that the caller wants.
struct WantedStatus: Sendable {
  let status: Status

  init?(_ raw: UnsafeMutablePointer<Grpc__Testing__EchoStatus>?, _ arena: DecodeArena) throws(Status) {
    guard let raw = raw?.pointee else { return nil }
    let message = try arena.text(of: raw.message)
    // A number that is no code is UNKNOWN to every client.
    status = Status(StatusCode(rawValue: Int(raw.code)) ?? .unknown, message)
  }
}

/// `grpc.testing.SimpleRequest`, as far as it is answered.
struct SimpleRequest {
  let responseByteCount: Int
  let responseIsCompressed: Bool
  let wantedStatus: WantedStatus?
  /// `nil`: the caller does not care.
  let expectsCompressed: Bool?

  init(decoding message: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(Status) {
    let raw = try arena.unpack(message, grpc__testing__simple_request__unpack)
    responseByteCount = try byteCount(raw.response_size, "response_size")
    responseIsCompressed = raw.response_compressed?.pointee.value != 0 && raw.response_compressed != nil
    wantedStatus = try WantedStatus(raw.response_status, arena)
    expectsCompressed = raw.expect_compressed.map { $0.pointee.value != 0 }
  }
}

/// `grpc.testing.StreamingOutputCallRequest`: what to send, when, and how it ends.
struct OutputRequest: Sendable {
  struct Response: Sendable {
    let byteCount: Int
    let intervalMicroseconds: Int32
    let isCompressed: Bool
  }

  /// More are not made for one request.
  static let maximumResponseCount = 10_000

  let responses: [Response]
  let wantedStatus: WantedStatus?

  init(decoding message: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(Status) {
    let raw = try arena.unpack(message, grpc__testing__streaming_output_call_request__unpack)
    guard raw.n_response_parameters <= Self.maximumResponseCount else {
      throw Status(.invalidArgument, "response_parameters: more than \(Self.maximumResponseCount)")
    }
    var responses: [Response] = []
    for parameters in UnsafeBufferPointer(start: raw.response_parameters, count: raw.n_response_parameters) {
      guard let parameters = parameters?.pointee else { continue }
      responses.append(try Self.response(parameters))
    }
    self.responses = responses
    wantedStatus = try WantedStatus(raw.response_status, arena)
  }

  private static func response(_ raw: Grpc__Testing__ResponseParameters) throws(Status) -> Response {
    guard (0...60_000_000).contains(raw.interval_us) else {
      throw Status(.invalidArgument, "response_parameters.interval_us: must be 0...60000000, is \(raw.interval_us)")
    }
    return Response(
      byteCount: try byteCount(raw.size, "response_parameters.size"), intervalMicroseconds: raw.interval_us,
      isCompressed: raw.compressed.map { $0.pointee.value != 0 } ?? false)
  }
}

/// `grpc.testing.StreamingInputCallRequest`.
struct InputRequest {
  let payloadByteCount: Int
  let expectsCompressed: Bool?

  init(decoding message: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(Status) {
    let raw = try arena.unpack(message, grpc__testing__streaming_input_call_request__unpack)
    payloadByteCount = raw.payload.map { $0.pointee.body.len } ?? 0
    expectsCompressed = raw.expect_compressed.map { $0.pointee.value != 0 }
  }
}

private let largestResponseByteCount = 16 << 20

private func byteCount(_ asked: Int32, _ field: String) throws(Status) -> Int {
  guard (0...largestResponseByteCount).contains(Int(asked)) else {
    throw Status(.invalidArgument, "\(field): must be 0...\(largestResponseByteCount), is \(asked)")
  }
  return Int(asked)
}

extension DecodeArena {
  /// - Throws: INTERNAL where the bytes are no such message (G-060).
  fileprivate func unpack<Message>(
    _ message: UnsafeRawBufferPointer,
    _ unpack: (UnsafeMutablePointer<ProtobufCAllocator>?, Int, UnsafePointer<UInt8>?) -> UnsafeMutablePointer<Message>?
  ) throws(Status) -> Message {
    begin(messageByteCount: message.count)
    let bytes = message.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard let raw = unpack(UnsafeMutablePointer(allocatorForC), message.count, bytes) else {
      throw Status(.internal, "the request message is malformed")
    }
    return raw.pointee
  }

  fileprivate func text(of string: UnsafeMutablePointer<CChar>?) throws(Status) -> String {
    guard let text = String(validating: bytes(of: string), as: UTF8.self) else {
      throw Status(.internal, "the request message is malformed")
    }
    return text
  }
}
