import GRPC
import HTTP2
import NetworkIO
import TestSupport

/// What came of one call.
struct CallOutcome: Sendable {
  var headers: [String: String] = [:]
  var trailers: [String: String] = [:]
  var messages: [[UInt8]] = []
  /// The last bytes, where they are no whole message.
  var rest: [UInt8] = []
  var endsStream = false
  /// Set when the stream is gone.
  var closeCode: UInt32?

  /// grpc-status, wherever it stands.
  var status: String? { trailers["grpc-status"] ?? headers["grpc-status"] }
  var message: String? { trailers["grpc-message"] ?? headers["grpc-message"] }
}

/// A gRPC client of few manners over loopback, on a loop of its own kind: messages, credit and resets as the test says.
///
/// `@unchecked Sendable`: everything but `loop` is touched on the loop only.
final class TestClient: @unchecked Sendable, HTTP2SessionDelegate, TCPStreamDelegate {
  final class Call {
    var outcome = CallOutcome()
    var body: [UInt8] = []
    var ends = false
    var isAsked = true
  }

  let loop: EventLoop
  private let session: HTTP2Session
  private var socket: TCPStream?
  private var calls: [Int32: Call] = [:]
  private var fields: [String: String] = [:]
  /// Whether credit is returned for what was received.
  private var takes = true
  private var isGathering = false
  private(set) var isClosed = false
  private(set) var goAways: [Int32] = []
  private(set) var settingsCount = 0
  private(set) var receivedByteCount = 0

  private init(loop: EventLoop, settings: HTTP2Settings) throws {
    self.loop = loop
    session = try HTTP2Session(.client, settings: settings)
    session.delegate = self
  }

  deinit {
    session.close()
  }

  static func connect(
    to address: SocketAddress, loop: EventLoop, settings: HTTP2Settings = HTTP2Settings()
  ) async throws -> TestClient {
    let client = try TestClient(loop: loop, settings: settings)
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      loop.execute {
        TCPStream.connect(loop: loop, to: address) { result in
          continuation.resume(with: result.map { client.begin($0) }.mapError { $0 as any Error })
        }
      }
    }
    return client
  }

  private func begin(_ socket: TCPStream) {
    self.socket = socket
    socket.delegate = self
    socket.startReading()
    flush()
  }

  // MARK: - What tests do

  /// A message with its prefix.
  static func framed(_ message: [UInt8], flag: UInt8 = 0) -> [UInt8] {
    [flag] + withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) } + message
  }

  /// Opens a call with `body`, bytes as they are; `fields` override and add to gRPC's own.
  @discardableResult
  func open(
    _ path: String, body: [UInt8] = [], ends: Bool = true, fields: [(String, String)] = []
  ) async throws -> Int32 {
    try await loop.run {
      var all = [
        (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "test"),
        ("content-type", "application/grpc"), ("te", "trailers"),
      ]
      for (name, value) in fields {
        if let place = all.firstIndex(where: { $0.0 == name }) {
          all[place].1 = value
        } else {
          all.append((name, value))
        }
      }
      return self.submit(all.filter { !$0.1.isEmpty }, body: body, ends: ends)
    }
  }

  /// Opens calls of one path in one write.
  func openAtOnce(_ path: String, bodies: [[UInt8]], ends: Bool) async throws -> [Int32] {
    try await loop.run {
      self.isGathering = true
      let fields = [
        (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "test"),
        ("content-type", "application/grpc"), ("te", "trailers"),
      ]
      let ids = bodies.map { self.submit(fields, body: $0, ends: ends) }
      self.isGathering = false
      self.flush()
      return ids
    }
  }

  private func submit(_ fields: [(String, String)], body: [UInt8], ends: Bool) -> Int32 {
    let call = Call()
    call.body = body
    call.ends = ends
    // The session copies at submission, so the bytes must outlive the loop.
    let bytes = fields.map { (Array($0.0.utf8), Array($0.1.utf8)) }
    func add(_ rest: ArraySlice<([UInt8], [UInt8])>) -> Int32? {
      guard let (name, value) = rest.first else {
        return session.submitRequest(context: call, hasBody: !(body.isEmpty && ends))
      }
      return name.withUnsafeBytes { name in
        value.withUnsafeBytes { value in
          session.addField(name: name, value: value)
          return add(rest.dropFirst())
        }
      }
    }
    let id = add(bytes[...]) ?? -1
    calls[id] = call
    flush()
    return id
  }

  func send(_ id: Int32, _ bytes: [UInt8], ends: Bool = false) async throws {
    try await loop.run {
      guard let call = self.calls[id] else { return }
      call.body += bytes
      call.ends = ends
      if !call.isAsked {
        call.isAsked = true
        self.session.submitBody(streamID: id)
      }
      self.flush()
    }
  }

  func cancel(_ id: Int32, code: UInt32 = 8) async throws {
    try await loop.run {
      self.session.reset(streamID: id, HTTP2ErrorCode(rawValue: code))
      self.flush()
    }
  }

  /// Stops or goes on to give credit.
  func setTakes(_ takes: Bool) async throws {
    try await loop.run { self.takes = takes }
  }

  /// Gives credit for bytes received before.
  func consume(_ id: Int32, _ byteCount: Int) async throws {
    try await loop.run {
      self.session.consume(byteCount, streamID: id)
      self.flush()
    }
  }

  func setReads(_ reads: Bool) async throws {
    try await loop.run { if reads { self.socket?.startReading() } else { self.socket?.stopReading() } }
  }

  func goAway() async throws {
    try await loop.run {
      self.session.submitGoAway()
      self.flush()
    }
  }

  func close() async throws {
    try await loop.run { self.socket?.close() }
  }

  func outcome(_ id: Int32) async throws -> CallOutcome {
    try await loop.run { self.calls[id]?.outcome ?? CallOutcome() }
  }

  /// Bytes of a call's body that the server has given no credit for.
  func unsentByteCount(_ id: Int32) async throws -> Int {
    try await loop.run { self.calls[id]?.body.count ?? 0 }
  }

  func state() async throws -> (isClosed: Bool, goAways: [Int32], received: Int) {
    try await loop.run { (self.isClosed, self.goAways, self.receivedByteCount) }
  }

  /// Waits for the end of a call, five seconds at most.
  func finished(_ id: Int32) async throws -> CallOutcome {
    try await eventually {
      let outcome = try await self.outcome(id); return outcome.closeCode == nil ? nil : outcome
    }
  }

  /// A whole call with the messages given.
  func call(_ path: String, _ messages: [[UInt8]] = [[]], fields: [(String, String)] = []) async throws -> CallOutcome {
    let id = try await open(path, body: messages.flatMap { Self.framed($0) }, fields: fields)
    return try await finished(id)
  }

  /// Waits for `count` messages of a call.
  func messages(_ id: Int32, count: Int) async throws -> [[UInt8]] {
    try await eventually {
      let messages = try await self.outcome(id).messages
      return messages.count >= count ? messages : nil
    }
  }

  // MARK: - Session and socket

  private func flush() {
    guard let socket, !isClosed, !isGathering else { return }
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while let count = try? buffer.withUnsafeMutableBytes({ try session.pull(into: $0) }), count > 0 {
      buffer.withUnsafeBytes { socket.write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }

  func stream(_ stream: TCPStream, didRead bytes: UnsafeRawBufferPointer) {
    receivedByteCount += bytes.count
    try? session.receive(bytes)
    flush()
  }

  func streamDidReachEnd(_ stream: TCPStream) {
    stream.close()
  }

  func streamDidDrain(_ stream: TCPStream) {}

  func streamDidClose(_ stream: TCPStream, error: NetworkError?) {
    isClosed = true
    socket = nil
  }

  func didBeginHeaders(_ kind: HTTP2HeadersKind, streamID: Int32) {
    fields = [:]
  }

  func didReceive(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> HTTP2FieldVerdict {
    fields[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
    return .goOn
  }

  func didEndHeaders(_ kind: HTTP2HeadersKind, streamID: Int32, endsStream: Bool, context: AnyObject?) {
    guard let call = context as? Call else { return }
    switch kind {
    case .request: return
    case .response: call.outcome.headers = fields
    case .later: call.outcome.trailers = fields
    }
    if endsStream { call.outcome.endsStream = true }
  }

  func didReceiveData(_ bytes: UnsafeRawBufferPointer, streamID: Int32, context: AnyObject) {
    guard let call = context as? Call else { return }
    call.outcome.rest += bytes
    while call.outcome.rest.count >= 5 {
      let length = call.outcome.rest[1..<5].reduce(0) { $0 << 8 | Int($1) }
      guard call.outcome.rest.count >= 5 + length else { break }
      call.outcome.messages.append(Array(call.outcome.rest[5..<(5 + length)]))
      call.outcome.rest.removeFirst(5 + length)
    }
    if takes { session.consume(bytes.count, streamID: streamID) }
  }

  func didEndStream(_ streamID: Int32, context: AnyObject) {
    (context as? Call)?.outcome.endsStream = true
  }

  func didCloseStream(_ streamID: Int32, errorCode: HTTP2ErrorCode, context: AnyObject) {
    (context as? Call)?.outcome.closeCode = errorCode.rawValue
  }

  func readBody(into buffer: UnsafeMutableRawBufferPointer, streamID: Int32, context: AnyObject) -> HTTP2BodyRead {
    guard let call = context as? Call else { return .failed }
    let count = min(buffer.count, call.body.count)
    buffer.copyBytes(from: call.body[..<count])
    call.body.removeFirst(count)
    guard call.body.isEmpty else { return .bytes(count) }
    call.isAsked = false
    return call.ends ? .end(count) : .pause(count)
  }

  func didReceiveSettings(isAcknowledgement: Bool) {
    settingsCount += 1
  }

  func didReceivePingAcknowledgement(_ payload: UInt64) {}

  func didReceiveGoAway(lastStreamID: Int32, errorCode: HTTP2ErrorCode) {
    goAways.append(lastStreamID)
  }
}

/// A thing that did not come within five seconds.
struct Overdue: Error {}

/// Asks again and again until `body` gives something.
func eventually<Result: Sendable>(
  _ body: () async throws -> Result?
) async throws -> Result {
  for _ in 0..<2_500 {
    if let result = try await body() { return result }
    try await Task.sleep(for: .milliseconds(2))
  }
  throw Overdue()
}
