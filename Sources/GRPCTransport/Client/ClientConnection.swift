import GRPC
import HTTP2
import NetworkIO
import TLS

/// One connection of a channel: carries bytes between its socket and its HTTP/2 session, and events between the session and
/// the calls. Belongs to the channel's loop.
///
/// The socket keeps the connection alive until it has closed.
final class ClientConnection {
  enum Phase {
    /// The server's SETTINGS have not come.
    case establishing(ConnectionAttempt)
    case ready
    /// No new calls: the server, or the channel, is ending it.
    case draining
    case closed
  }

  /// How the bytes of the socket are secured.
  enum Security {
    case clear
    /// The handshake goes on; HTTP/2 waits for it.
    case handshaking(TLSSession)
    case secured(TLSSession)
  }

  let channel: ClientChannel
  let session: HTTP2Session
  var security: Security
  let socket: TCPStream
  let address: SocketAddress
  private(set) var phase: Phase
  private var keepalive: ConnectionKeepalive?
  private var head = ResponseHead()
  private var isDirty = false
  /// Whether it was of any use.
  private(set) var hasCarriedCalls = false
  private(set) var isBroken = false
  /// Why the calls that are open will fail, where we have a reason of our own.
  private var reason: String?
  private var writersToTell: [ClientCall] = []
  /// Streams that the server has ended and we have not, unless it resets them itself in the same breath (G-072).
  private var lateResets: [Int32] = []

  init(
    channel: ClientChannel, socket: TCPStream, address: SocketAddress, tls: TLSSession?, attempt: ConnectionAttempt
  ) throws(HTTP2Error) {
    self.channel = channel
    self.socket = socket
    self.address = address
    phase = .establishing(attempt)
    security = tls.map { .handshaking($0) } ?? .clear
    session = try HTTP2Session(.client, settings: channel.settings, memory: channel.memory)
    session.delegate = self
    socket.delegate = self
  }

  func start() {
    socket.startReading()
    beginSecurity()
    markDirty()
  }

  // MARK: - Calls

  /// Whether the server takes one more call, and the socket is not behind with those it has.
  var hasRoom: Bool {
    switch phase {
    case .ready: break
    case .establishing, .draining, .closed: return false
    }
    return !isBroken && session.streamCount < session.peerMaximumStreamCount
      && (socket.queuedByteCount == 0 || session.queuedFrameCount < Self.pileFrameCount)
  }

  var callCount: Int { session.streamCount }

  /// Frames that wait are many above this.
  private static let pileFrameCount = 200

  /// What came of `open`.
  enum Opening {
    case opened
    /// The ids of the connection are used up.
    case exhausted
  }

  /// Sends the headers of a call. A call whose headers the server would not take ends with RESOURCE_EXHAUSTED.
  func open(_ call: ClientCall) -> Opening {
    if let timeout = call.remainingMilliseconds, timeout == 0 {
      call.deadlinePassed()
      return .opened
    }
    let id = channel.withRequestFields(of: call) { fields -> Int32? in
      guard fields.listByteCount <= session.peerHeaderListBytes else { return 0 }
      return fields.withFields { fields in
        for (name, value) in fields { session.addField(name: name, value: value) }
        return session.submitRequest(context: call, hasBody: !call.hasNoBody)
      }
    }
    guard let id else { return .exhausted }
    guard id > 0 else {
      let text = "the call's headers are larger than the server's limit of \(session.peerHeaderListBytes) bytes"
      call.end(Status(.resourceExhausted, text))
      return .opened
    }
    call.flags.insert(call.hasNoBody ? .requestSent : .bodyActive)
    call.phase = .open(self, streamID: id)
    hasCarriedCalls = true
    keepalive?.callStarted()
    markDirty()
    return .opened
  }

  /// Ends a stream; the server is told at once.
  func reset(_ streamID: Int32) {
    session.reset(streamID: streamID, .cancel)
    markDirty()
  }

  func resetUnlessClosed(_ streamID: Int32) {
    lateResets.append(streamID)
    markDirty()
  }

  /// `call` has room again and is to be told after the flush.
  func owesRoom(to call: ClientCall) {
    writersToTell.append(call)
  }

  // MARK: - Writing

  /// Has everything that waits pulled and written at the end of the turn.
  func markDirty() {
    guard !isDirty, !isClosed else { return }
    isDirty = true
    channel.flushAtTurnEnd(self)
  }

  var isClosed: Bool {
    switch phase {
    case .establishing, .ready, .draining: false
    case .closed: true
    }
  }

  func flush() {
    isDirty = false
    guard !isClosed else { return }
    if case .handshaking = security { return isBroken ? close() : () }
    for id in lateResets { session.reset(streamID: id, .cancel) }
    lateResets.removeAll(keepingCapacity: true)
    pull()
    tellWriters()
    if isBroken || (session.isFinished && socket.queuedByteCount == 0) { close() }
  }

  /// Moves frames from the session to the socket while the socket takes them.
  private func pull() {
    do throws(HTTP2Error) {
      for _ in 0..<4 where socket.queuedByteCount == 0 {
        let count = try session.pull(into: channel.scratch)
        guard count > 0 else { return }
        write(UnsafeRawBufferPointer(rebasing: channel.scratch[..<count]))
        if count < channel.scratch.count { return }
      }
      if socket.queuedByteCount == 0 { markDirty() }
    } catch {
      breakDown("\(error)")
    }
  }

  /// Nothing more is read; the flush sends the last words and closes.
  func breakDown(_ reason: String?) {
    isBroken = true
    self.reason = self.reason ?? reason
    markDirty()
  }

  private func tellWriters() {
    guard !writersToTell.isEmpty else { return }
    let told = writersToTell
    writersToTell.removeAll()
    for call in told where !call.hasEnded { call.handler?.callCanSend(call) }
  }

  // MARK: - End

  /// Lets the calls that are open finish, and closes then.
  func drain() {
    switch phase {
    case .establishing: return fail("the channel is shut down")
    case .ready: break
    case .draining, .closed: return
    }
    phase = .draining
    session.submitGoAway()
    markDirty()
  }

  /// Ends the connection after a moment for what waits to be written.
  func finish() {
    flush()
    fail("the channel is shut down")
  }

  /// Ends the connection at once, and its calls with UNAVAILABLE.
  func fail(_ reason: String) {
    self.reason = self.reason ?? reason
    close()
  }

  private func close() {
    finishSecurity()
    socket.close()
  }

  /// The socket is gone: everything that hangs on the connection ends.
  private func closed(_ error: NetworkError?) {
    guard !isClosed else { return }
    let before = phase
    phase = .closed
    keepalive?.close()
    keepalive = nil
    writersToTell = []
    let text = reason ?? error.map { "\($0)" } ?? "the server has closed it"
    let status = Status(.unavailable, "the connection to \(address) is lost: \(text)")
    let contexts = session.close()
    switch before {
    case .establishing(let attempt): attempt.failed(self, Status(.unavailable, "\(address): \(text)"))
    case .ready, .draining: channel.connectionClosed(self, status)
    case .closed: break
    }
    for context in contexts {
      let call = unsafeDowncast(context, to: ClientCall.self)
      if case .open(let connection, _) = call.phase, connection === self { call.connectionLost(status) }
    }
  }

  /// The calls that are open.
  var calls: [ClientCall] {
    session.streamContexts.map { unsafeDowncast($0, to: ClientCall.self) }
  }

  // MARK: - Keepalive

  func sendPing() {
    session.submitPing(Self.keepalivePing)
    markDirty()
  }

  private static let keepalivePing: UInt64 = 0x6B65_6570_616C_6976

  private func becomeReady(_ attempt: ConnectionAttempt) {
    phase = .ready
    if let settings = channel.keepalive { keepalive = ConnectionKeepalive(self, settings) }
    attempt.succeeded(self)
  }
}

// MARK: - Socket

extension ClientConnection: TCPStreamDelegate {
  func stream(_ stream: TCPStream, didRead bytes: UnsafeRawBufferPointer) {
    guard !isBroken, !isClosed else { return }
    keepalive?.didRead()
    switch security {
    case .clear: receive(bytes)
    case .handshaking(let tls), .secured(let tls): receiveSecured(bytes, tls)
    }
    // What answers have made room for, and what their handlers have sent, leaves with this flush.
    if bytes.count < EventLoop.readByteCount || session.queuedFrameCount > Self.pileFrameCount {
      channel.openWaitingCalls()
      flush()
    } else {
      markDirty()
    }
  }

  /// Gives bytes to the session, none after an error.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    guard !isBroken, !isClosed else { return }
    do throws(HTTP2Error) {
      try session.receive(bytes)
    } catch {
      breakDown("\(error)")
    }
  }

  func streamDidReachEnd(_ stream: TCPStream) {
    breakDown(nil)
  }

  func streamDidDrain(_ stream: TCPStream) {
    markDirty()
  }

  func streamDidClose(_ stream: TCPStream, error: NetworkError?) {
    closed(error)
  }
}

// MARK: - Session

extension ClientConnection: HTTP2SessionDelegate {
  /// The call whose present stream it is.
  private func call(_ context: AnyObject?, _ streamID: Int32) -> ClientCall? {
    guard let context else { return nil }
    let call = unsafeDowncast(context, to: ClientCall.self)
    return call.isOpen(on: self, streamID) ? call : nil
  }

  func didBeginHeaders(_ kind: HTTP2HeadersKind, streamID: Int32) {
    head.removeAll()
  }

  func didReceive(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> HTTP2FieldVerdict {
    switch head.append(name: name, value: value) {
    case .fits, .costsCall: return .goOn
    case .costsConnection:
      reason = "the server's headers are far larger than the limit"
      return .endConnection
    }
  }

  func didEndHeaders(_ kind: HTTP2HeadersKind, streamID: Int32, endsStream: Bool, context: AnyObject?) {
    call(context, streamID)?.received(head, endsStream: endsStream)
  }

  func didReceiveData(_ bytes: UnsafeRawBufferPointer, streamID: Int32, context: AnyObject) {
    call(context, streamID)?.received(bytes)
  }

  func didEndStream(_ streamID: Int32, context: AnyObject) {
    call(context, streamID)?.remoteEnded()
  }

  func didCloseStream(_ streamID: Int32, errorCode: HTTP2ErrorCode, context: AnyObject) {
    if !lateResets.isEmpty { lateResets.removeAll { $0 == streamID } }
    call(context, streamID)?.streamClosed(errorCode)
    // There is room for another call.
    markDirty()
  }

  func readBody(into buffer: UnsafeMutableRawBufferPointer, streamID: Int32, context: AnyObject) -> HTTP2BodyRead {
    call(context, streamID)?.readBody(into: buffer, for: self) ?? .failed
  }

  func didReceiveSettings(isAcknowledgement: Bool) {
    guard !isAcknowledgement else { return }
    if case .establishing(let attempt) = phase { becomeReady(attempt) }
    markDirty()
  }

  func didReceivePingAcknowledgement(_ payload: UInt64) {}

  /// Streams above `lastStreamID` are told as refused next (RFC 9113 §6.8).
  func didReceiveGoAway(lastStreamID: Int32, errorCode: HTTP2ErrorCode) {
    if errorCode == .enhanceYourCalm { channel.slowKeepalive() }
    if errorCode != .noError { reason = reason ?? "the server has ended it (HTTP/2 error \(errorCode.rawValue))" }
    switch phase {
    case .establishing: fail("the server ends the connection at once")
    case .ready:
      phase = .draining
      channel.connectionDrains(self)
    case .draining, .closed: break
    }
    markDirty()
  }
}
