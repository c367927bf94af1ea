import HTTP2

/// One stream as a test sees it.
final class TestStream {
  nonisolated(unsafe) static var aliveCount = 0

  let id: Int32
  var fields: [String: String] = [:]
  var trailers: [String: String] = [:]
  var received: [UInt8] = []
  var endCount = 0
  var closeCode: HTTP2ErrorCode?
  /// What `readBody` gives out, and what follows it.
  var body: [UInt8] = []
  var trailersToSend: [(StaticString, StaticString)]?
  var endsBody = false

  init(id: Int32 = 0) {
    self.id = id
  }
}

/// A session with a delegate that writes down what it is told and answers requests by `respond`.
final class Peer: HTTP2SessionDelegate {
  let session: HTTP2Session
  var streams: [Int32: TestStream] = [:]
  /// Called when a request has come, its stream being in `streams`.
  var respond: (Peer, TestStream) -> Void = { _, _ in }
  var consumesData = true
  var keepsClosedStreams = true
  var headerListLimit = Int.max
  var settingsCount = 0
  var acknowledgementCount = 0
  var pings: [UInt64] = []
  var goAways: [(lastStreamID: Int32, errorCode: HTTP2ErrorCode)] = []
  private var block: [String: String] = [:]
  private var blockByteCount = 0

  init(
    _ role: HTTP2Session.Role, settings: HTTP2Settings = HTTP2Settings(), memory: SessionMemory = SessionMemory()
  ) throws {
    session = try HTTP2Session(role, settings: settings, memory: memory)
    session.delegate = self
  }

  deinit {
    session.close()
  }

  /// Opens a stream with a gRPC-like request; `body` `nil`: END_STREAM goes with the headers.
  @discardableResult
  func request(
    path: StaticString = "/a.B/C", body: [UInt8]? = nil, ends: Bool = true
  ) -> TestStream {
    session.addField(":method", "POST")
    session.addField(":scheme", "http")
    session.addField(":path", path)
    session.addField(":authority", "test")
    let stream = TestStream()
    stream.body = body ?? []
    stream.endsBody = ends
    if let id = session.submitRequest(context: stream, hasBody: body != nil) { streams[id] = stream }
    return stream
  }

  /// Answers with `body` and trailers.
  func answer(_ stream: TestStream, body: [UInt8]) {
    stream.body = body
    stream.trailersToSend = [("grpc-status", "0")]
    session.addField(":status", "200")
    session.submitHeaders(streamID: stream.id, endsStream: false)
    session.submitBody(streamID: stream.id)
  }

  /// Everything that waits to be sent, pulled in pieces of `pieceByteCount`.
  func output(pieceByteCount: Int = 64 << 10) throws -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: pieceByteCount)
    while true {
      let count = try piece.withUnsafeMutableBytes { try session.pull(into: $0) }
      all += piece[..<count]
      if count < pieceByteCount { return all }
    }
  }

  func receive(_ bytes: some Collection<UInt8>) throws {
    try Array(bytes).withUnsafeBytes { try session.receive($0) }
  }

  // MARK: - Events

  func didBeginHeaders(_ kind: HTTP2HeadersKind, streamID: Int32) {
    block = [:]
    blockByteCount = 0
  }

  func didReceive(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> HTTP2FieldVerdict {
    blockByteCount += name.count + value.count + 32
    guard blockByteCount <= headerListLimit else { return .endConnection }
    block[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
    return .goOn
  }

  func didEndHeaders(_ kind: HTTP2HeadersKind, streamID: Int32, endsStream: Bool, context: AnyObject?) {
    switch kind {
    case .request:
      let stream = TestStream(id: streamID)
      stream.fields = block
      stream.endCount = endsStream ? 1 : 0
      streams[streamID] = stream
      session.setContext(stream, streamID: streamID)
      respond(self, stream)
    case .response, .later:
      guard let stream = context as? TestStream else { return }
      if kind == .later { stream.trailers = block } else { stream.fields = block }
      if endsStream { stream.endCount += 1 }
    }
  }

  func didReceiveData(_ bytes: UnsafeRawBufferPointer, streamID: Int32, context: AnyObject) {
    (context as? TestStream)?.received += bytes
    if consumesData { session.consume(bytes.count, streamID: streamID) }
  }

  func didEndStream(_ streamID: Int32, context: AnyObject) {
    (context as? TestStream)?.endCount += 1
  }

  func didCloseStream(_ streamID: Int32, errorCode: HTTP2ErrorCode, context: AnyObject) {
    (context as? TestStream)?.closeCode = errorCode
    if !keepsClosedStreams { streams[streamID] = nil }
  }

  func readBody(into buffer: UnsafeMutableRawBufferPointer, streamID: Int32, context: AnyObject) -> HTTP2BodyRead {
    guard let stream = context as? TestStream else { return .failed }
    let count = min(buffer.count, stream.body.count)
    buffer.copyBytes(from: stream.body[..<count])
    stream.body.removeFirst(count)
    guard stream.body.isEmpty else { return .bytes(count) }
    if let trailers = stream.trailersToSend {
      for (name, value) in trailers { session.addField(name, value) }
      session.submitTrailers(streamID: streamID)
      return .pause(count)
    }
    return stream.endsBody ? .end(count) : .pause(count)
  }

  func didReceiveSettings(isAcknowledgement: Bool) {
    if isAcknowledgement { acknowledgementCount += 1 } else { settingsCount += 1 }
  }

  func didReceivePingAcknowledgement(_ payload: UInt64) {
    pings.append(payload)
  }

  func didReceiveGoAway(lastStreamID: Int32, errorCode: HTTP2ErrorCode) {
    goAways.append((lastStreamID, errorCode))
  }
}

/// Carries bytes both ways until neither side has any left.
func exchange(_ a: Peer, _ b: Peer) throws {
  while true {
    let fromA = try a.output()
    try b.receive(fromA)
    let fromB = try b.output()
    try a.receive(fromB)
    if fromA.isEmpty && fromB.isEmpty { return }
  }
}
