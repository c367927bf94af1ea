import GRPC
import HTTP2
import NetworkIO
import Synchronization
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
  /// Whom the census counts it by.
  let entry: ConnectionCensus.Entry
  /// Its place among the connections of the loop.
  var place = 0
  var drain = Drain.none
  /// Preface, SETTINGS and their acknowledgement have come (G-004).
  private(set) var isEstablished = false
  private(set) var isClosed = false
  @exclusivity(unchecked) var security: Security
  /// The session is over, the client has a moment to read why.
  private(set) var isLeaving = false
  @exclusivity(unchecked) var times: ConnectionTimes
  var deadlinePlace: Int32 = -1
  @exclusivity(unchecked) var conduct: ClientConduct
  @exclusivity(unchecked) var framesSeen = 0
  @exclusivity(unchecked) var turnByteCount = 0
  @exclusivity(unchecked) var turnFrameCount = 0
  var discardedByteCount = 0
  /// It has had its share of the turn.
  var isPaused = false
  /// Calls that have ended while their handlers have not (G-087), or not been freed yet. Counted by any thread.
  let lingeringCount = Atomic(0)
  /// What the windows of its streams have grown by (G-095).
  var windowGrowth = 0
  /// Come and not ended (G-079).
  @exclusivity(unchecked) var callsAtWork = 0

  /// The header block that is coming in, or is being judged; borrowed from the loop meanwhile.
  private var head: RequestHead?
  private var isDirty = false
  @exclusivity(unchecked) var isBroken = false
  /// The client has closed its side.
  var isForsaken = false
  private var isReading = true
  /// It takes nothing, so nothing is taken from it.
  private var isStuck = false
  private(set) var hasSettings = false
  var drainReason: StaticString = ""

  /// A call whose request has come, with its message where that lies in the read buffer.
  private struct DueCall {
    let call: ServerStream
    let message: UnsafeRawBufferPointer?
  }

  /// Begun when all that was read has been taken: a call that is reset by then never begins (G-140).
  @exclusivity(unchecked) private var dueCalls: [DueCall] = []
  @exclusivity(unchecked) private(set) var isReceiving = false
  /// A message that lies in the read buffer, until the END_STREAM behind it has been read.
  @exclusivity(unchecked) private var pendingCall: ServerStream?
  @exclusivity(unchecked) private var pendingMessage = UnsafeRawBufferPointer(start: nil, count: 0)

  /// Calls with a deadline that were opened since the last flush: most end before it, and never enter the queue.
  private var newCalls: [ServerStream] = []
  @exclusivity(unchecked) private var bufferedByteCount = 0
  @exclusivity(unchecked) var heldBack = WaitingCalls(.heldBack)
  private var writersToTell: [ServerStream] = []
  var roomWaiters = WaitingCalls(.awaitsRoom)

  /// Request bytes that are held for it.
  let account: ServerBudget.Account
  /// The call that gets credit though the connection assembles too much, so that something gets done.
  @exclusivity(unchecked) var favoured: ServerStream?
  @exclusivity(unchecked) var starved = WaitingCalls(.starved)
  /// Credit is being given to the starved.
  var isFeeding = false

  init(
    home: ServerLoop, socket: TCPStream, context: ConnectionContext, tls: TLSSession?, entry: ConnectionCensus.Entry
  ) throws(HTTP2Error) {
    self.home = home
    security = tls.map { .handshaking($0) } ?? .clear
    self.socket = socket
    self.context = context
    self.entry = entry
    let now = home.loop.nowMilliseconds
    times = ConnectionTimes(now: now, establishment: home.limits.establishmentMilliseconds, age: home.policy.maximumAge)
    conduct = ClientConduct(now: now)
    session = try HTTP2Session(.server, settings: home.settings, memory: home.memory)
    account = home.budget.open()
    session.delegate = self
    socket.delegate = self
  }

  /// Sends our SETTINGS without waiting for the client's (G-001), and begins to read.
  func start() {
    markDirty()
    socket.startReading()
    planVisit(after: times.bornAt)
  }

  /// Has the loop look at the connection at `milliseconds`, if not earlier.
  func hasten(to milliseconds: UInt64) {
    guard milliseconds < times.visitAt, !isClosed else { return }
    haveVisited(at: milliseconds)
  }

  func haveVisited(at milliseconds: UInt64) {
    times.visitAt = milliseconds
    home.visit(self, at: milliseconds)
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
    guard !isClosed, !isLeaving else { return }
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
    case .clear:
      home.figures.connections.sentByteCount += UInt64(bytes.count)
      socket.write(bytes)
    case .secured(let tls): writeSecured(bytes, tls)
    case .handshaking, .refused: break
    }
  }

  /// Frames that wait are many above this.
  private static let pileFrameCount = 200

  /// A client that does not read is not read from either, once something waits for it (G-143, G-145).
  private func adjustReading() {
    let muchWaits = session.queuedFrameCount > Self.pileFrameCount || bufferedByteCount > 128 << 10
    isStuck = socket.queuedByteCount > 0 && muchWaits
    updateReading()
    // One read can ask for thousands of frames: more than calls explain is more than is kept (G-145).
    let ofStreams = 2 * min(session.peerStreamCount, home.limits.streamsPerConnection)
    if session.queuedFrameCount > Self.maximumFrameCount + ofStreams { close() }
  }

  /// Frames that may wait besides those of streams.
  private static let maximumFrameCount = 1_000

  func updateReading() {
    let shouldRead = !isStuck && !isPaused
    guard shouldRead != isReading, !isClosed, !isLeaving else { return }
    isReading = shouldRead
    if isReading { socket.startReading() } else { socket.stopReading() }
  }

  private func closeIfDone() {
    if isForsaken || (session.isFinished && socket.queuedByteCount == 0 && !isBroken) {
      close()
    } else if isBroken {
      bidFarewell()
    }
  }

  /// Ends the connection without further words; `streamDidClose` follows.
  func close() {
    finishSecurity()
    socket.close()
  }

  /// Tells the client to go and why; nothing more is taken from it.
  func leave(_ code: HTTP2ErrorCode, _ reason: StaticString) {
    guard !isBroken, !isClosed else { return }
    home.figures.connections.endedForCauseCount += 1
    session.submitGoAway(code, reason: reason)
    isBroken = true
    markDirty()
  }

  /// Ends the session, but closes only when the client has, or has had the time to read what was written: to close at
  /// once could take the last words away from a client that is still sending.
  private func bidFarewell() {
    isLeaving = true
    endCalls()
    if !isReading { socket.startReading() }
    finishSecurity()
    security = .refused
    socket.finishWriting()
    times.closeAt = min(times.closeAt, home.loop.nowMilliseconds + Self.lastWordsMilliseconds)
    hasten(to: times.closeAt)
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
    while hasRoom, let call = roomWaiters.popFirst() {
      guard call.flags.contains(.waitsToSend), (call.output?.byteCount ?? 0) < CallLimits.bufferedBytes / 2 else {
        continue
      }
      call.flags.remove(.waitsToSend)
      writersToTell.append(call)
    }
    guard !writersToTell.isEmpty else { return }
    let told = writersToTell
    writersToTell.removeAll()
    for call in told where !call.hasEnded { call.observer?.callCanSend(call) }
  }

  /// `call` can begin: its one request is complete, or it is admitted and takes a stream of them.
  func begin(_ call: ServerStream) {
    dueCalls.append(DueCall(call: call, message: takePending(of: call)))
    if !isReceiving { beginDueCalls() }
  }

  private func beginDueCalls() {
    // Those that handlers make due by what they do come behind.
    var index = 0
    while index < dueCalls.count {
      let due = dueCalls[index]
      index += 1
      guard !due.call.hasEnded else { continue }
      due.call.takesMany ? due.call.start() : serveOrHoldBack(due)
    }
    dueCalls.removeAll(keepingCapacity: dueCalls.count < 256)
  }

  /// Serves a call, or lets it wait while too many responses do.
  private func serveOrHoldBack(_ due: DueCall) {
    let call = due.call
    guard isFull || !heldBack.isEmpty else { return call.serve(due.message) }
    if let message = due.message { call.keep(message) }
    heldBack.append(call)
  }

  private func serveHeldBack() {
    guard !heldBack.isEmpty, hasRoom else { return }
    while !isFull, let call = heldBack.popFirst() { call.serve(nil) }
    markDirty()
  }

  // MARK: - Request bytes

  /// `message` is the whole request of `call`, as far as is known, and lies in the read buffer.
  func setPending(_ message: UnsafeRawBufferPointer, of call: ServerStream) {
    keepPending()
    pendingCall = call
    pendingMessage = message
  }

  private func takePending(of call: ServerStream) -> UnsafeRawBufferPointer? {
    guard pendingCall === call else { return nil }
    pendingCall = nil
    return pendingMessage
  }

  func dropPending(of call: ServerStream) {
    if pendingCall === call { pendingCall = nil }
  }

  /// Copies a message that lies in the read buffer, which is about to be used again.
  private func keepPending() {
    guard let call = pendingCall else { return }
    pendingCall = nil
    call.keep(pendingMessage)
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

  /// The socket is gone: everything that hangs on the connection ends.
  private func closed() {
    guard !isClosed else { return }
    isClosed = true
    security = .refused
    endCalls()
    home.budget.close(account)
    home.remove(self)
  }

  private func endCalls() {
    pendingCall = nil
    for context in session.close() { unsafeDowncast(context, to: ServerStream.self).closed(.connectionLost) }
    dueCalls = []
    newCalls = []
    heldBack = WaitingCalls(.heldBack)
    writersToTell = []
    roomWaiters = WaitingCalls(.awaitsRoom)
    starved = WaitingCalls(.starved)
    favoured = nil
  }
}

extension ServerConnection: DeadlineHolder {}

// MARK: - Socket

extension ServerConnection: TCPStreamDelegate {
  func stream(_ stream: TCPStream, didRead bytes: UnsafeRawBufferPointer) {
    guard !isClosed else { return }
    home.figures.connections.receivedByteCount += UInt64(bytes.count)
    guard !isBroken else { return discard(bytes.count) }
    let now = home.loop.nowMilliseconds
    let room = stream.readLimit
    times.lastSign = now
    times.pingedAt = .max
    switch security {
    case .clear: receive(bytes)
    case .handshaking(let tls), .secured(let tls): receiveSecured(bytes, tls)
    case .refused: return discard(bytes.count)
    }
    if !isBroken { inspect(bytes.count, room: room, at: now) }
    // Answers leave while they are in the cache. Where the kernel probably has more, they wait for those to come, but
    // libuv reads up to 2 MiB a turn, and what that asks for must not pile up until the end.
    if isBroken || bytes.count < room || session.queuedFrameCount > Self.pileFrameCount {
      flush()
    } else {
      markDirty()
    }
  }

  /// Gives bytes to the session, then begins the calls that they have made due. What lies in the bytes is kept where it is
  /// needed longer.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    guard !isBroken, !isClosed else { return }
    isReceiving = true
    do throws(HTTP2Error) {
      try session.receive(bytes)
    } catch {
      // Nothing more is given to the session (G-160); the flush sends its last words and closes.
      isBroken = true
      if !error.isBadPreface { explain() }
    }
    isReceiving = false
    if !isBroken, !dueCalls.isEmpty { beginDueCalls() }
    keepPending()
  }

  /// What nghttp2 has no words for, a flood above its limits; where it has some, they hold.
  private func explain() {
    conduct.judge(session.counts, at: times.lastSign)
    session.submitGoAway(.enhanceYourCalm, reason: conduct.offence?.reason ?? "flood")
  }

  /// A client that has finished writing is gone, or as good as gone (G-109).
  func streamDidReachEnd(_ stream: TCPStream) {
    if isLeaving { return close() }
    isForsaken = true
    markDirty()
  }

  func streamDidDrain(_ stream: TCPStream) {
    times.lastSign = home.loop.nowMilliseconds
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
    times.lastCall = times.lastSign
    let call = unsafeDowncast(context, to: ServerStream.self)
    if !call.hasEnded { conduct.cancelled(age: call.age, at: times.lastSign) }
    call.closed(.cancelled(errorCode: errorCode.rawValue))
  }

  /// Its handler does not begin, or hears of it, before the reset has left (G-150).
  func didBreakStream(_ streamID: Int32, context: AnyObject) {
    unsafeDowncast(context, to: ServerStream.self)
      .end(.cancelled(errorCode: HTTP2ErrorCode.protocolError.rawValue))
  }

  func readBody(into buffer: UnsafeMutableRawBufferPointer, streamID: Int32, context: AnyObject) -> HTTP2BodyRead {
    unsafeDowncast(context, to: ServerStream.self).readBody(into: buffer)
  }

  func didReceiveSettings(isAcknowledgement: Bool) {
    guard isAcknowledgement else {
      hasSettings = true
      return
    }
    guard !isEstablished, hasSettings else { return }
    isEstablished = true
    times.closeAt = .max
  }

  func didReceivePing() {
    let policy = home.policy
    conduct.pinged(
      session.counts, at: times.lastSign, interval: callCount > 0 ? policy.pingIntervalInCalls : policy.pingInterval)
  }

  func didReceivePingAcknowledgement(_ payload: UInt64) {
    drainPingAnswered(payload)
  }

  func didReceiveGoAway(lastStreamID: Int32, errorCode: HTTP2ErrorCode) {}
}
