import GRPC
import HTTP2
import Locking
import NetworkIO
import TestSupport

/// One request as the script of a fake server sees it.
final class FakeRequest {
  let id: Int32
  let fields: [String: String]
  /// Of all requests that the server got, from 0.
  let number: Int
  var body: [UInt8] = []
  var hasEnded = false
  var outgoing: [UInt8] = []
  var trailers: [(String, String)]?
  /// END_STREAM goes with the last byte.
  var endsWithData = false

  init(id: Int32, fields: [String: String], number: Int) {
    self.id = id
    self.fields = fields
    self.number = number
  }

  var path: String { fields[":path"] ?? "" }
}

/// A server that does what a script says, right or wrong. The script is called on the loop when the headers of a request
/// have come.
///
/// `@unchecked Sendable`: everything but `log` is touched on the loop only.
final class FakeServer: @unchecked Sendable {
  typealias Script = @Sendable (FakeConnection, FakeRequest) -> Void

  struct Log {
    var fields: [[String: String]] = []
    var connectionCount = 0
    var pingCount = 0
    /// The errors with which streams were closed, by the client or by us.
    var closeCodes: [UInt32] = []
  }

  let loop: EventLoop
  let script: Script
  let settings: HTTP2Settings
  let log = Lock(Log())
  private(set) var address = SocketAddress("127.0.0.1:1")
  fileprivate var connections: [FakeConnection] = []
  private var listener: TCPListener?
  /// Done with each connection before its SETTINGS leave. Set before there is any.
  nonisolated(unsafe) var greet: (FakeConnection) -> Void = { _ in }
  /// Nothing is sent, not even SETTINGS.
  let isSilent: Bool

  init(
    on loop: EventLoop, settings: HTTP2Settings = HTTP2Settings(), isSilent: Bool = false, script: @escaping Script
  ) throws {
    self.loop = loop
    self.settings = settings
    self.isSilent = isSilent
    self.script = script
    guard let any = SocketAddress("127.0.0.1:0") else { return }
    let listener = try TCPListener(loop: loop, address: any, backlog: 16) { descriptor, _ in
      guard let socket = try? TCPStream(loop: loop, adopting: descriptor) else { return }
      self.accept(socket)
    }
    self.listener = listener
    address = listener.localAddress
  }

  var requests: [[String: String]] { log.withLock { $0.fields } }
  var connectionCount: Int { log.withLock { $0.connectionCount } }

  private func accept(_ socket: TCPStream) {
    log.withLock { $0.connectionCount += 1 }
    guard let connection = try? FakeConnection(self, socket) else { return socket.close() }
    connections.append(connection)
    connection.start()
  }

  /// What the newest request has sent.
  func seenBody() async throws -> [UInt8] {
    try await loop.run { self.connections.last?.newest?.body ?? [] }
  }

  /// Answers the first request of the first connection.
  func answerFirst() { connections.first?.answerLast() }

  /// Runs `body` on the loop with the newest connection.
  func onConnection(_ body: @escaping @Sendable (FakeConnection) -> Void) async throws {
    try await loop.run { if let connection = self.connections.last { body(connection) } }
  }

  func close() async throws {
    try await loop.run {
      self.listener?.close()
      self.listener = nil
      for connection in self.connections { connection.close() }
      self.connections = []
    }
  }
}

final class FakeConnection: HTTP2SessionDelegate, TCPStreamDelegate {
  private unowned let server: FakeServer
  private let socket: TCPStream
  private let session: HTTP2Session
  private var fields: [String: String] = [:]
  fileprivate private(set) var newest: FakeRequest?
  private var isClosed = false
  /// Stops to answer, PINGs among it.
  var isMute = false

  init(_ server: FakeServer, _ socket: TCPStream) throws {
    self.server = server
    self.socket = socket
    session = try HTTP2Session(.server, settings: server.settings)
    session.delegate = self
    socket.delegate = self
  }

  deinit { session.close() }

  func start() {
    socket.startReading()
    server.greet(self)
    flush()
  }

  // MARK: - For scripts

  /// Headers, bytes, trailers: as the script says. Without trailers the stream stays open, unless it `ends` with its last
  /// byte, or with the headers where there is none.
  func respond(
    _ request: FakeRequest, headers: [(String, String)] = [(":status", "200"), ("content-type", "application/grpc")],
    body: [UInt8]? = nil, trailers: [(String, String)]? = nil, ends: Bool = false
  ) {
    add(headers) { session.submitHeaders(streamID: request.id, endsStream: ends && body == nil && trailers == nil) }
    request.outgoing += body ?? []
    request.trailers = trailers
    request.endsWithData = ends
    if body != nil || trailers != nil { session.submitBody(streamID: request.id) }
    flush()
  }

  func trailersOnly(_ request: FakeRequest, _ fields: [(String, String)]) {
    respond(request, headers: [(":status", "200"), ("content-type", "application/grpc")] + fields, ends: true)
  }

  /// As a server that leaves it to the client to free the stream: the session does not know that it has answered.
  func trailersOnlyWithoutReset(_ request: FakeRequest, status: UInt8) {
    var block: [UInt8] = [0x88]
    for (name, value) in [("content-type", "application/grpc"), ("grpc-status", "\(status)")] {
      block += [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }
    let frame = [0, 0, UInt8(block.count), 1, 5] + withUnsafeBytes(of: request.id.bigEndian) { Array($0) } + block
    frame.withUnsafeBytes { socket.write($0) }
  }

  func echo(_ request: FakeRequest, _ message: [UInt8] = [7]) {
    respond(request, body: TestClient.framed(message), trailers: [("grpc-status", "0")])
  }

  /// The newest request.
  func answerLast() {
    if let newest { echo(newest, [9]) }
  }

  func reset(_ request: FakeRequest, _ code: UInt32) {
    session.reset(streamID: request.id, HTTP2ErrorCode(rawValue: code))
    flush()
  }

  /// A GOAWAY as it is wanted, which the session does not know of.
  func goAway(lastStreamID: UInt32, code: UInt32 = 0) {
    // In one write with what waits.
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    bytes.removeLast(bytes.count - ((try? bytes.withUnsafeMutableBytes { try session.pull(into: $0) }) ?? 0))
    bytes += [0, 0, 8, 7, 0, 0, 0, 0, 0]
    for word in [lastStreamID, code] { withUnsafeBytes(of: word.bigEndian) { bytes += $0 } }
    bytes.withUnsafeBytes { socket.write($0) }
  }

  func close() { socket.close() }

  private func add(_ fields: [(String, String)], then submit: () -> Void) {
    let bytes = fields.map { (Array($0.0.utf8), Array($0.1.utf8)) }
    func add(_ rest: ArraySlice<([UInt8], [UInt8])>) {
      guard let (name, value) = rest.first else { return submit() }
      name.withUnsafeBytes { name in
        value.withUnsafeBytes { value in
          session.addField(name: name, value: value)
          add(rest.dropFirst())
        }
      }
    }
    add(bytes[...])
  }

  private func flush() {
    guard !isClosed, !isMute, !server.isSilent else { return }
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while let count = try? buffer.withUnsafeMutableBytes({ try session.pull(into: $0) }), count > 0 {
      buffer.withUnsafeBytes { socket.write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }

  // MARK: - Socket and session

  func stream(_ stream: TCPStream, didRead bytes: UnsafeRawBufferPointer) {
    // A PING has 17 bytes, and comes alone in the tests that count.
    if bytes.count == 17, bytes[3] == 6, bytes[4] == 0 { server.log.withLock { $0.pingCount += 1 } }
    try? session.receive(bytes)
    flush()
  }

  func streamDidReachEnd(_ stream: TCPStream) { stream.close() }
  func streamDidDrain(_ stream: TCPStream) {}
  func streamDidClose(_ stream: TCPStream, error: NetworkError?) { isClosed = true }

  func didBeginHeaders(_ kind: HTTP2HeadersKind, streamID: Int32) { fields = [:] }

  func didReceive(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> HTTP2FieldVerdict {
    fields[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
    return .goOn
  }

  func didEndHeaders(_ kind: HTTP2HeadersKind, streamID: Int32, endsStream: Bool, context: AnyObject?) {
    guard kind == .request else { return }
    let fields = fields
    let number = server.log.withLock { log in
      log.fields.append(fields)
      return log.fields.count - 1
    }
    let request = FakeRequest(id: streamID, fields: fields, number: number)
    session.setContext(request, streamID: streamID)
    newest = request
    server.script(self, request)
  }

  func didReceiveData(_ bytes: UnsafeRawBufferPointer, streamID: Int32, context: AnyObject) {
    (context as? FakeRequest)?.body += bytes
    session.consume(bytes.count, streamID: streamID)
  }

  func didEndStream(_ streamID: Int32, context: AnyObject) { (context as? FakeRequest)?.hasEnded = true }
  func didCloseStream(_ streamID: Int32, errorCode: HTTP2ErrorCode, context: AnyObject) {
    server.log.withLock { $0.closeCodes.append(errorCode.rawValue) }
  }

  func readBody(into buffer: UnsafeMutableRawBufferPointer, streamID: Int32, context: AnyObject) -> HTTP2BodyRead {
    guard let request = context as? FakeRequest else { return .failed }
    let count = min(buffer.count, request.outgoing.count)
    buffer.copyBytes(from: request.outgoing[..<count])
    request.outgoing.removeFirst(count)
    guard request.outgoing.isEmpty else { return .bytes(count) }
    if request.endsWithData { return .end(count) }
    if let trailers = request.trailers { add(trailers) { session.submitTrailers(streamID: streamID) } }
    return .pause(count)
  }

  func didReceiveSettings(isAcknowledgement: Bool) {}
  func didReceivePingAcknowledgement(_ payload: UInt64) {}
  func didReceiveGoAway(lastStreamID: Int32, errorCode: HTTP2ErrorCode) {}
}
