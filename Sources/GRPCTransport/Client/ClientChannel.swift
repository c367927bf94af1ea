package import GRPC
import HTTP2
package import NetworkIO
import TLS

/// A client's way to one server: connects when there is something to call, connects again when the connection is lost,
/// and carries any number of calls. By TLS, or in the clear (h2c with prior knowledge).
///
/// This is the core, bound to its loop: calls tell handlers what happens, and cost no more than their own memory. The
/// members that belong to the loop say so; the others, and the `async` ones, may be used from anywhere. To be ended by
/// `shutdown`, before its loop is.
///
/// `@unchecked Sendable`: everything but the constants is touched on the loop only, which debug builds check.
package final class ClientChannel: TurnEndObserver, @unchecked Sendable {
  /// What a channel is doing (gRPC, "Connectivity Semantics and API").
  package enum Connectivity: Hashable, Sendable {
    case idle, connecting, ready, transientFailure, shutdown
  }

  enum State {
    /// Nobody calls.
    case idle
    case connecting(ConnectionAttempt)
    case ready(ClientConnection)
    /// The last attempt has failed; the next waits until the backoff has passed.
    case transientFailure(Status)
    case shutdown

    var connectivity: Connectivity {
      switch self {
      case .idle: .idle
      case .connecting: .connecting
      case .ready: .ready
      case .transientFailure: .transientFailure
      case .shutdown: .shutdown
      }
    }
  }

  package let loop: EventLoop
  let configuration: ClientConfiguration
  let settings: HTTP2Settings
  let memory = SessionMemory()
  let requestBuffers = RequestBufferPool()
  /// Where a turn's output is gathered, to be written at once.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)
  private var fields = FieldBlock()
  private(set) lazy var tlsBuffers = TLSBuffers()

  var state = State.idle {
    didSet {
      guard let tell = configuration.onStateChange, oldValue.connectivity != state.connectivity else { return }
      tell(state.connectivity)
    }
  }
  var backoff: ConnectionBackoff
  var backoffTimer: (any ChannelTimer)?
  /// Why the last attempt to connect has failed; forgotten when one succeeds.
  var lastFailure: Status?
  /// As configured, or slower where the server has asked for it.
  var keepalive: ClientConfiguration.Keepalive?
  /// Connections that take no new calls and have some left.
  var draining: [ClientConnection] = []

  var throttle: RetryThrottle
  /// Request bytes that are kept to be sent again.
  var keptByteCount = 0
  private var waiting = CallQueue()
  private var backingOff: [ObjectIdentifier: ClientCall] = [:]
  private var doomed: [(call: ClientCall, status: Status)] = []

  private let deadlines = DeadlineQueue<ClientCall>()
  private var deadlineTimer: (any ChannelTimer)?
  private var deadlineTimerAt = UInt64.max

  private var dirty: [ClientConnection] = []
  private var flushing: [ClientConnection] = []
  private var isObserving = false

  var shutdownTimer: (any ChannelTimer)?
  var shutdownCompletions: [@Sendable () -> Void] = []

  /// Does not connect yet.
  package init(_ configuration: ClientConfiguration) {
    self.configuration = configuration
    loop = configuration.loop
    backoff = configuration.backoff
    keepalive = configuration.keepalive
    throttle = configuration.throttle
    var settings = HTTP2Settings()
    settings.streamWindow = UInt32(clamping: configuration.streamWindow)
    settings.connectionWindow = Int32(clamping: configuration.connectionWindow)
    settings.headerListBytes = UInt32(clamping: CallLimits.headerListBytes)
    self.settings = settings
  }

  deinit {
    scratch.deallocate()
  }

  /// Traps in debug builds where something is used off the loop.
  func check() {
    assert(loop.isCurrent, "a channel and its calls belong to their event loop")
  }

  var now: UInt64 { configuration.clock.nowMilliseconds(on: loop) }

  func makeTimer(_ handler: @escaping () -> Void) -> any ChannelTimer {
    configuration.clock.makeTimer(on: loop, handler)
  }

  // MARK: - Calls

  /// Starts a call; its headers leave at the end of the turn, with what was sent until then. On the loop. `handler` is
  /// never told anything within this call.
  @discardableResult
  package func startCall(
    _ method: ClientMethod, _ options: CallOptions = CallOptions(), handler: any ClientCallHandler
  ) -> ClientCall {
    check()
    let call = ClientCall(channel: self, method: method, options: options, handler: handler)
    if let timeout = options.timeoutMilliseconds, timeout == 0 {
      endSoon(call, .deadlinePassed)
    } else if waiting.count >= configuration.maximumWaitingCallCount {
      let text = "\(waiting.count) calls wait already"
      endSoon(call, Status(.resourceExhausted, text))
    } else {
      enqueue(call)
      if call.deadlineMilliseconds != .max, !call.flags.contains(.doomed) { watchDeadline(of: call) }
    }
    return call
  }

  /// Has a call wait for its turn.
  func enqueue(_ call: ClientCall) {
    guard mayWait(call) else { return }
    call.flags.insert(.queued)
    waiting.append(call)
    connectIfIdle()
    observeTurnEnd()
  }

  /// As `enqueue`, before the others.
  func enqueueFirst(_ call: ClientCall) {
    guard mayWait(call) else { return }
    call.flags.insert(.queued)
    waiting.prepend(call)
    connectIfIdle()
    observeTurnEnd()
  }

  private func mayWait(_ call: ClientCall) -> Bool {
    backingOff[ObjectIdentifier(call)] = nil
    switch state {
    case .idle, .connecting, .ready: return true
    case .transientFailure(let status):
      if call.options.waitsForReady { return true }
      endSoon(call, status)
      return false
    case .shutdown:
      endSoon(call, .channelShutDown)
      return false
    }
  }

  /// Ends a call at the end of the turn, so that its handler is not told within a call of its own.
  func endSoon(_ call: ClientCall, _ status: Status) {
    call.flags.insert(.doomed)
    doomed.append((call, status))
    observeTurnEnd()
  }

  func backsOff(_ call: ClientCall) {
    backingOff[ObjectIdentifier(call)] = call
  }

  func callEnded(_ call: ClientCall) {
    if call.flags.contains(.queued) {
      call.flags.remove(.queued)
      waiting.callEnded()
    }
    if !backingOff.isEmpty { backingOff[ObjectIdentifier(call)] = nil }
    deadlines.remove(call)
  }

  var hasWaitingCalls: Bool { waiting.count > 0 }

  /// The calls that have no stream.
  var unopenedCalls: [ClientCall] { waiting.all + backingOff.values }

  /// Gives waiting calls to the connection, as many as the server takes.
  func openWaitingCalls() {
    guard case .ready(let connection) = state else { return }
    while connection.hasRoom, let call = waiting.popFirst() {
      call.flags.remove(.queued)
      switch connection.open(call) {
      case .opened: continue
      case .exhausted:
        connection.drain()
        connectionDrains(connection)
        return enqueueFirst(call)
      }
    }
  }

  /// Calls `body` with the headers of a call.
  func withRequestFields<Result>(of call: ClientCall, _ body: (FieldBlock) -> Result) -> Result {
    var request = RequestFields(
      path: call.method.path, authority: configuration.authority ?? configuration.target.authority,
      userAgent: configuration.userAgent, isSecure: configuration.security != nil)
    request.timeoutMilliseconds = call.remainingMilliseconds
    request.previousAttemptCount = call.retryCount
    request.metadata = call.options.metadata
    fields.removeAll()
    fields.appendRequest(request)
    return body(fields)
  }

  // MARK: - Turns

  func flushAtTurnEnd(_ connection: ClientConnection) {
    dirty.append(connection)
    observeTurnEnd()
  }

  private func observeTurnEnd() {
    guard !isObserving else { return }
    isObserving = true
    loop.atTurnEnd(self)
  }

  package func turnEnded() {
    isObserving = false
    if !doomed.isEmpty { endDoomedCalls() }
    openWaitingCalls()
    swap(&dirty, &flushing)
    for connection in flushing { connection.flush() }
    flushing.removeAll(keepingCapacity: true)
  }

  private func endDoomedCalls() {
    let due = doomed
    doomed = []
    for (call, status) in due { call.end(status) }
  }

  // MARK: - Deadlines

  private func watchDeadline(of call: ClientCall) {
    deadlines.insert(call, at: call.deadlineMilliseconds)
    armDeadlineTimer()
  }

  /// The timer is moved forward only: a call that ends early leaves it to fire in vain, once.
  private func armDeadlineTimer() {
    guard let earliest = deadlines.earliest, earliest < deadlineTimerAt else { return }
    let timer = deadlineTimer ?? makeTimer { [weak self] in self?.deadlinesPassed() }
    deadlineTimer = timer
    deadlineTimerAt = earliest
    let now = now
    timer.start(afterMilliseconds: earliest > now ? earliest - now : 0)
  }

  private func deadlinesPassed() {
    deadlineTimerAt = .max
    let now = now
    while let call = deadlines.popDue(at: now) { call.deadlinePassed() }
    armDeadlineTimer()
  }

  /// With the last call.
  func closeDeadlineTimer() {
    deadlineTimer?.close()
    deadlineTimer = nil
    deadlineTimerAt = .max
  }
}
