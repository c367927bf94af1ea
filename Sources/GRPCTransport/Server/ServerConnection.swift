import GRPC
import HTTP2
import NetworkIO
import TLS

/// One client's connection: carries bytes between its socket and its HTTP/2 session, and calls between the session and
/// the service. Belongs to its loop.
///
/// The socket keeps the connection alive until it has closed; `closed` then breaks the circle with the streams.
final class ServerConnection {
  /// How far the end of the connection has come (G-100).
  enum Drain {
    case none
    /// GOAWAY with the last id possible and a PING went out; since when.
    case noticed(sinceMilliseconds: UInt64)
    /// GOAWAY with the true last id went out: closed when its streams are done.
    case final
  }

  /// How the bytes of the socket are secured.
  enum Security {
    case clear
    /// The handshake goes on; HTTP/2 waits for it.
    case handshaking(TLSSession)
    case secured(TLSSession)
    /// TLS has ended the connection: nothing is read or written any more, the client has a moment to read why.
    case refused
  }

  let home: ServerLoop
  let context: ConnectionContext
  let session: HTTP2Session
  let socket: TCPStream
  /// When it is closed unless it is established.
  var establishBefore: UInt64
  /// Its place among the connections of the loop.
  var place = 0
  var drain = Drain.none
  /// Preface, SETTINGS and their acknowledgement have come (G-004).
  private(set) var isEstablished = false
  private(set) var isClosed = false
  @exclusivity(unchecked) var security: Security

  /// The header block that is coming in, or is being judged; borrowed from the loop meanwhile.
  private var head: RequestHead?
  private var isDirty = false
  @exclusivity(unchecked) var isBroken = false
  private var isReading = true
  private var hasSettings = false

  /// A message that lies in the read buffer, until the END_STREAM behind it has been read.
  @exclusivity(unchecked) private var pendingCall: ServerStream?
  @exclusivity(unchecked) private var pendingMessage = UnsafeRawBufferPointer(start: nil, count: 0)

  /// Calls with a deadline that were opened since the last flush: most end before it, and never enter the queue.
  private var newCalls: [ServerStream] = []
  @exclusivity(unchecked) private var bufferedByteCount = 0
  @exclusivity(unchecked) private var heldBack: [ServerStream] = []
  private var writersToTell: [ServerStream] = []
  private var roomWaiters: [ServerStream] = []

  private var assembledByteCount = 0
  /// The call that gets credit though the connection assembles too much, so that something gets done.
  @exclusivity(unchecked) private var favoured: ServerStream?
  @exclusivity(unchecked) private var starved: [ServerStream] = []

  init(home: ServerLoop, socket: TCPStream, context: ConnectionContext, tls: TLSSession?) throws(HTTP2Error) {
    self.home = home
    security = tls.map { .handshaking($0) } ?? .clear
    self.socket = socket
    self.context = context
    establishBefore = home.loop.nowMilliseconds + home.limits.establishmentMilliseconds
    session = try HTTP2Session(.server, settings: home.settings, memory: home.memory)
    session.delegate = self
    socket.delegate = self
  }

  /// Sends our SETTINGS without waiting for the client's (G-001), and begins to read.
  func start() {
    markDirty()
    socket.startReading()
  }

  /// The calls that are open.
  var calls: [ServerStream] {
    session.streamContexts.map { unsafeDowncast($0, to: ServerStream.self) }
  }

  var callCount: Int { session.streamCount }

  /// The largest trailers that the client takes (G-075).
  var trailerLimit: Int { session.peerHeaderListBytes }

  /// Adds the fields that `fill` makes to the next header block; at once to be submitted.
  func addFields(_ fill: (inout FieldBlock) -> Void) {
    home.fields.removeAll()
    fill(&home.fields)
    home.fields.withFields { fields in
      for (name, value) in fields { session.addField(name: name, value: value) }
      // What was added points into the block, which stays as it is until the submission.
    }
  }

  // MARK: - Writing

  /// Has everything that waits pulled and written at the end of the turn.
  func markDirty() {
    guard !isDirty, !isClosed else { return }
    isDirty = true
    home.flushAtTurnEnd(self)
  }

  func flush() {
    isDirty = false
    guard !isClosed else { return }
    switch security {
    case .clear, .secured: break
    case .handshaking, .refused: return closeIfDone()
    }
    pull()
    admitDeadlines()
    serveHeldBack()
    tellWriters()
    adjustReading()
    closeIfDone()
  }

  /// Moves frames from the session to the socket while the socket takes them: nothing is pulled that would have to wait
  /// outside of the session (G-091).
  private func pull() {
    do throws(HTTP2Error) {
      for _ in 0..<4 where socket.queuedByteCount == 0 {
        let count = try session.pull(into: home.scratch)
        guard count > 0 else { return }
        write(UnsafeRawBufferPointer(rebasing: home.scratch[..<count]))
        if count < home.scratch.count { return }
      }
      if socket.queuedByteCount == 0 { markDirty() }
    } catch {
      isBroken = true
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) {
    switch security {
    case .clear: socket.write(bytes)
    case .secured(let tls): writeSecured(bytes, tls)
    case .handshaking, .refused: break
    }
  }

  /// Frames that wait are many above this.
  private static let pileFrameCount = 200

  /// A client that does not read is not read from either, once something waits for it (G-143, G-145).
  private func adjustReading() {
    let muchWaits = session.queuedFrameCount > Self.pileFrameCount || bufferedByteCount > 128 << 10
    let isStuck = socket.queuedByteCount > 0 && muchWaits
    guard isStuck == isReading, !isBroken else { return }
    isReading.toggle()
    if isReading { socket.startReading() } else { socket.stopReading() }
  }

  private func closeIfDone() {
    if isBroken || (session.isFinished && socket.queuedByteCount == 0) { close() }
  }

  /// Ends the connection without further words; `streamDidClose` follows.
  func close() {
    finishSecurity()
    socket.close()
  }

  // MARK: - Response bytes

  /// Whether so much waits for the client that its streams have to wait (docs/architecture.md, Limits).
  var isFull: Bool { bufferedByteCount > home.limits.responseBytesPerConnection }

  func didBuffer(_ byteCount: Int) {
    bufferedByteCount += byteCount
  }

  /// `call` has room again and is to be told after the flush.
  func owesRoom(to call: ServerStream) {
    writersToTell.append(call)
  }

  /// `call` waits until the connection has room.
  func awaitRoom(_ call: ServerStream) {
    guard !call.flags.contains(.waitsToSend) else { return }
    call.flags.insert(.waitsToSend)
    roomWaiters.append(call)
  }

  private var hasRoom: Bool { bufferedByteCount < home.limits.responseBytesPerConnection / 2 }

  private func tellWriters() {
    if hasRoom, !roomWaiters.isEmpty {
      for call in roomWaiters where call.flags.contains(.waitsToSend) {
        guard (call.output?.byteCount ?? 0) < CallLimits.bufferedBytes / 2 else { continue }
        call.flags.remove(.waitsToSend)
        writersToTell.append(call)
      }
      roomWaiters.removeAll()
    }
    guard !writersToTell.isEmpty else { return }
    let told = writersToTell
    writersToTell.removeAll()
    for call in told where !call.hasEnded { call.observer?.callCanSend(call) }
  }

  /// Serves a call whose request is complete, or lets it wait while too many responses do.
  func serveOrHoldBack(_ call: ServerStream) {
    guard isFull || !heldBack.isEmpty else { return call.serve() }
    keepPending()
    guard !call.flags.contains(.heldBack) else { return }
    call.flags.insert(.heldBack)
    heldBack.append(call)
  }

  private func serveHeldBack() {
    guard !heldBack.isEmpty, hasRoom else { return }
    let waiting = heldBack
    var served = 0
    for call in waiting where !isFull {
      served += 1
      call.flags.remove(.heldBack)
      call.serve()
    }
    heldBack.removeFirst(served)
    markDirty()
  }

  // MARK: - Request bytes

  /// `message` is the whole request of `call`, as far as is known, and lies in the read buffer.
  func setPending(_ message: UnsafeRawBufferPointer, of call: ServerStream) {
    keepPending()
    pendingCall = call
    pendingMessage = message
  }

  func takePending(of call: ServerStream) -> UnsafeRawBufferPointer? {
    guard pendingCall === call else { return nil }
    pendingCall = nil
    return pendingMessage
  }

  func dropPending(of call: ServerStream) {
    if pendingCall === call { pendingCall = nil }
  }

  /// Copies a message that lies in the read buffer, which is about to be used again.
  func keepPending() {
    guard let call = pendingCall else { return }
    pendingCall = nil
    call.keep(pendingMessage)
  }

  func didAssemble(_ byteCount: Int) {
    assembledByteCount += byteCount
    home.budget.add(byteCount)
  }

  /// Whether `call` gets no credit for now. One call always gets some.
  func withholdsCredit(of call: ServerStream) -> Bool {
    guard assembledByteCount > home.limits.assembledBytesPerConnection else { return false }
    if favoured == nil { favoured = call }
    if favoured === call { return false }
    if !call.flags.contains(.starved) {
      call.flags.insert(.starved)
      starved.append(call)
    }
    return true
  }

  /// `call` has a whole message, or none any more.
  func stopAssembling(_ call: ServerStream) {
    guard favoured != nil || !starved.isEmpty else { return }
    if favoured === call { favoured = nil }
    while !starved.isEmpty,
      favoured == nil || assembledByteCount <= home.limits.assembledBytesPerConnection
    {
      let next = starved.removeFirst()
      guard next.flags.contains(.starved) else { continue }
      next.flags.remove(.starved)
      next.returnCredit()
    }
  }

  // MARK: - Deadlines

  func watchDeadline(of call: ServerStream) {
    newCalls.append(call)
  }

  private func admitDeadlines() {
    guard !newCalls.isEmpty else { return }
    for call in newCalls {
      guard !call.flags.contains(.closed), let deadline = call.deadline else { continue }
      home.watch(call, until: deadline.milliseconds)
    }
    newCalls.removeAll(keepingCapacity: newCalls.count < 256)
  }

  // MARK: - End

  /// Begins or goes on with the end of the connection (G-100).
  func drain(at now: UInt64) {
    switch drain {
    case .none:
      // Who has said nothing yet has no call on the way; who has may not have answered our SETTINGS yet.
      guard hasSettings else { return close() }
      drain = .noticed(sinceMilliseconds: now)
      session.submitShutdownNotice()
      session.submitPing(Self.drainPing)
      markDirty()
    case .noticed(let since):
      if now >= since + Self.drainRoundTripMilliseconds { sendFinalGoAway() }
    case .final:
      break
    }
  }

  private func sendFinalGoAway() {
    drain = .final
    session.submitGoAway()
    markDirty()
  }

  private static let drainPing: UInt64 = 0x656E_6572_6779_6B74
  /// How long a client may take for the PING between the two GOAWAYs.
  private static let drainRoundTripMilliseconds: UInt64 = 500

  /// The socket is gone: everything that hangs on the connection ends.
  private func closed() {
    guard !isClosed else { return }
    isClosed = true
    security = .refused
    pendingCall = nil
    for context in session.close() { unsafeDowncast(context, to: ServerStream.self).closed(.connectionLost) }
    newCalls = []
    heldBack = []
    writersToTell = []
    roomWaiters = []
    starved = []
    favoured = nil
    home.remove(self)
  }
}

// MARK: - Socket

extension ServerConnection: TCPStreamDelegate {
  func stream(_ stream: TCPStream, didRead bytes: UnsafeRawBufferPointer) {
    guard !isBroken, !isClosed else { return }
    switch security {
    case .clear: receive(bytes)
    case .handshaking(let tls), .secured(let tls): receiveSecured(bytes, tls)
    case .refused: return
    }
    // Answers leave while they are in the cache. Where the kernel probably has more, they wait for those to come, but
    // libuv reads up to 2 MiB a turn, and what that asks for must not pile up until the end.
    if bytes.count < EventLoop.readByteCount || session.queuedFrameCount > Self.pileFrameCount {
      flush()
    } else {
      markDirty()
    }
  }

  /// Gives bytes to the session. What lies in them is kept where it is needed longer.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    guard !isBroken, !isClosed else { return }
    do throws(HTTP2Error) {
      try session.receive(bytes)
    } catch {
      // Nothing more is given to the session (G-160); the flush sends its last words and closes.
      isBroken = true
    }
    keepPending()
  }

  /// A client that has finished writing is gone, or as good as gone (G-109).
  func streamDidReachEnd(_ stream: TCPStream) {
    isBroken = true
    markDirty()
  }

  func streamDidDrain(_ stream: TCPStream) {
    markDirty()
  }

  func streamDidClose(_ stream: TCPStream, error: NetworkError?) {
    closed()
  }
}

// MARK: - Session

extension ServerConnection: HTTP2SessionDelegate {
  func didBeginHeaders(_ kind: HTTP2HeadersKind, streamID: Int32) {
    if head == nil { head = home.heads.take() }
    head?.removeAll()
  }

  func didReceive(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> HTTP2FieldVerdict {
    switch head?.append(name: name, value: value) {
    case .fits, .costsCall, nil: .goOn
    case .costsConnection: .endConnection
    }
  }

  func didEndHeaders(_ kind: HTTP2HeadersKind, streamID: Int32, endsStream: Bool, context: AnyObject?) {
    guard let head else { return }
    self.head = nil
    defer { home.heads.giveBack(head) }
    switch kind {
    case .request:
      beginCall(streamID, head, endsStream: endsStream)
    case .response, .later:
      // Trailing headers of a request say nothing but that it ends (G-049).
      guard let context, endsStream else { return }
      unsafeDowncast(context, to: ServerStream.self).requestEnded()
    }
  }

  func didReceiveData(_ bytes: UnsafeRawBufferPointer, streamID: Int32, context: AnyObject) {
    unsafeDowncast(context, to: ServerStream.self).receive(bytes)
  }

  func didEndStream(_ streamID: Int32, context: AnyObject) {
    unsafeDowncast(context, to: ServerStream.self).requestEnded()
  }

  func didCloseStream(_ streamID: Int32, errorCode: HTTP2ErrorCode, context: AnyObject) {
    unsafeDowncast(context, to: ServerStream.self).closed(.cancelled(errorCode: errorCode.rawValue))
  }

  func readBody(into buffer: UnsafeMutableRawBufferPointer, streamID: Int32, context: AnyObject) -> HTTP2BodyRead {
    unsafeDowncast(context, to: ServerStream.self).readBody(into: buffer)
  }

  func didReceiveSettings(isAcknowledgement: Bool) {
    if isAcknowledgement { isEstablished = hasSettings } else { hasSettings = true }
  }

  func didReceivePingAcknowledgement(_ payload: UInt64) {
    guard payload == Self.drainPing, case .noticed = drain else { return }
    sendFinalGoAway()
  }

  func didReceiveGoAway(lastStreamID: Int32, errorCode: HTTP2ErrorCode) {}

  // MARK: Calls

  private func beginCall(_ id: Int32, _ head: RequestHead, endsStream: Bool) {
    switch head.judge() {
    case .accepted(let terms):
      let method = head.withValue(.path) { home.services.router.method(at: $0) } ?? nil
      guard let method else { return refuse(id, unknownMethod(head), terms) }
      beginCall(id, head, method, terms, endsStream: endsStream)
    case .notGRPC(let refusal):
      addFields { $0.appendRefusal(refusal) }
      session.submitHeaders(streamID: id, endsStream: true)
    case .refused(let status, let terms):
      refuse(id, status, terms)
    }
  }

  private func unknownMethod(_ head: RequestHead) -> Status {
    head.withValue(.path) { home.services.router.refusal(of: $0) } ?? Status(.unimplemented, "there is no path")
  }

  /// Answers from the headers alone; the body is dropped and its bytes are credited (G-047).
  private func refuse(_ id: Int32, _ status: Status, _ terms: CallTerms) {
    addFields { $0.appendTrailersOnly(status, terms, limit: trailerLimit) }
    session.submitHeaders(streamID: id, endsStream: true)
  }

  private func beginCall(_ id: Int32, _ head: RequestHead, _ method: Method, _ terms: CallTerms, endsStream: Bool) {
    let call = ServerStream(connection: self, id: id, method: method, terms: terms)
    session.setContext(call, streamID: id)
    if endsStream { call.flags.insert(.requestEnded) }
    if method.compressesAnswers, head.acceptsGzip { call.flags.insert(.mayAnswerGzip) }
    if method.keepsMetadata {
      call.ensuredExtras.metadata = Metadata(head)
      call.ensuredExtras.authority = head.withAuthority { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    if let timeout = terms.timeoutMilliseconds {
      guard timeout > 0 else { return call.deadlinePassed() }
      watchDeadline(of: call)
    }
    guard method.needsAdmission, let admission = home.services.admission else { return call.admit(nil) }
    switch admission.admit(head, to: method, call: call, connection: context) {
    case .admitted(let caller): call.admit(caller)
    case .refused(let status): call.finish(status)
    case .pending(let ticket):
      ticket.whenResolved { resolution in
        switch resolution {
        case .admitted(let caller): call.admit(caller)
        case .refused(let status): call.finish(status)
        }
      }
    }
  }
}
