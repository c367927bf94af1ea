import GRPC
import HTTP2
import NetworkIO
import Synchronization
import TLS

/// What a server has on one event loop: the service made for it, its connections, and what they share.
///
/// `@unchecked Sendable`: everything but `connectionCount` and the constants is touched on the loop only.
final class ServerLoop: TurnEndObserver, @unchecked Sendable {
  let loop: EventLoop
  let limits: CallLimits
  let budget: ServerBudget
  let settings: HTTP2Settings
  let onSecurityProblem: @Sendable (_ peer: String, TLSError) -> Void
  /// Connections handed to this loop and not yet gone; read by whoever hands them out.
  let connectionCount = Atomic(0)

  private(set) var services = Services(Service(router: Router([])))
  /// Where a turn's output of one connection is gathered, to be written at once.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)
  let outputs = OutputPool()
  let memory = SessionMemory()
  let heads = HeadPool()
  let deadlines = DeadlineQueue<ServerStream>()
  let inflation: InflationDesk
  let deflation: DeflationDesk
  /// Made for the first TLS connection.
  private(set) lazy var tlsBuffers = TLSBuffers()
  /// For header blocks in the making.
  var fields = FieldBlock()

  private(set) var connections: [ServerConnection] = []
  private var dirty: [ServerConnection] = []
  private var flushing: [ServerConnection] = []
  private var isObserving = false
  /// In the order of their births; watched until they are established.
  private var young: [ServerConnection] = []
  private var deadlineTimer: LoopTimer?
  private var deadlineTimerAt = UInt64.max
  private var ticker: LoopTimer?
  private var drain: ServerDrain?

  init(
    loop: EventLoop, limits: CallLimits, budget: ServerBudget,
    onSecurityProblem: @escaping @Sendable (_ peer: String, TLSError) -> Void
  ) {
    self.loop = loop
    inflation = InflationDesk(loop: loop)
    deflation = DeflationDesk(loop: loop)
    self.onSecurityProblem = onSecurityProblem
    self.limits = limits
    self.budget = budget
    var settings = HTTP2Settings()
    settings.maximumStreamCount = UInt32(clamping: limits.streamsPerConnection)
    settings.streamWindow = UInt32(clamping: limits.streamWindow)
    settings.connectionWindow = Int32(clamping: limits.connectionWindow)
    settings.headerListBytes = UInt32(clamping: CallLimits.headerListBytes)
    self.settings = settings
  }

  deinit {
    scratch.deallocate()
  }

  /// Traps in debug builds where a call is used off its loop.
  func check() {
    assert(loop.isCurrent, "a call belongs to the event loop of its connection")
  }

  func start(_ service: Service) {
    services = Services(service)
  }

  // MARK: - Connections

  /// Takes over a socket that was counted in `connectionCount` already.
  func adopt(_ descriptor: CInt, peer: SocketAddress, by listener: GRPCServer.Configuration.Listener) {
    do {
      let socket = try TCPStream(loop: loop, adopting: descriptor)
      guard drain == nil else {
        socket.close()
        return uncount()
      }
      try adopt(socket, peer: peer, by: listener)
    } catch {
      uncount()
    }
  }

  private func adopt(
    _ socket: TCPStream, peer: SocketAddress, by listener: GRPCServer.Configuration.Listener
  ) throws {
    do {
      let context = ConnectionContext(peer: peer.description, allowsAdmin: listener.allowsAdmin)
      let tls = try listener.security.context.map { try TLSSession($0, buffers: tlsBuffers) }
      let connection = try ServerConnection(home: self, socket: socket, context: context, tls: tls)
      connection.place = connections.count
      connections.append(connection)
      young.append(connection)
      if young.count == 1 { tick(everyMilliseconds: 1_000) }
      connection.start()
    } catch {
      socket.close()
      throw error
    }
  }

  private func uncount() {
    connectionCount.wrappingSubtract(1, ordering: .relaxed)
  }

  func remove(_ connection: ServerConnection) {
    let place = connection.place
    guard connections.indices.contains(place), connections[place] === connection else { return }
    let last = connections.removeLast()
    if last !== connection {
      connections[place] = last
      last.place = place
    }
    uncount()
    young.removeAll { $0 === connection }
    finishDrainIfDone()
  }

  // MARK: - Turns

  func flushAtTurnEnd(_ connection: ServerConnection) {
    dirty.append(connection)
    guard !isObserving else { return }
    isObserving = true
    loop.atTurnEnd(self)
  }

  func turnEnded() {
    isObserving = false
    swap(&dirty, &flushing)
    for connection in flushing { connection.flush() }
    flushing.removeAll(keepingCapacity: flushing.count <= 1_024)
  }

  // MARK: - Deadlines

  func watch(_ call: ServerStream, until milliseconds: UInt64) {
    deadlines.insert(call, at: milliseconds)
    armDeadlineTimer()
  }

  /// The timer is moved forward only: a call that ends early leaves it to fire in vain, once.
  private func armDeadlineTimer() {
    guard let earliest = deadlines.earliest, earliest < deadlineTimerAt else { return }
    let timer = deadlineTimer ?? LoopTimer(loop: loop) { [unowned self] in deadlinesPassed() }
    deadlineTimer = timer
    deadlineTimerAt = earliest
    let now = loop.nowMilliseconds
    timer.start(afterMilliseconds: earliest > now ? earliest - now : 0)
  }

  private func deadlinesPassed() {
    deadlineTimerAt = .max
    let now = loop.nowMilliseconds
    while let call = deadlines.popDue(at: now) { call.deadlinePassed() }
    armDeadlineTimer()
  }

  // MARK: - Housekeeping

  private func tick(everyMilliseconds period: UInt64) {
    let timer = ticker ?? LoopTimer(loop: loop) { [unowned self] in ticked() }
    ticker = timer
    timer.start(afterMilliseconds: period, repeatingEveryMilliseconds: period)
  }

  private func ticked() {
    let now = loop.nowMilliseconds
    young.removeAll { $0.isEstablished || $0.isClosed }
    for connection in young where now >= connection.establishBefore {
      connection.close()
    }
    if let drain {
      drain.goOn(connections, at: now)
      finishDrainIfDone()
    } else if young.isEmpty {
      ticker?.stop()
    }
  }

  // MARK: - End

  /// Ends all connections in good order, within `graceMilliseconds`, and calls `completion` when the last is gone. Asked
  /// again, the shorter time holds.
  func drain(graceMilliseconds: UInt64, completion: @escaping @Sendable () -> Void) {
    let now = loop.nowMilliseconds
    let drain = self.drain ?? ServerDrain(startMilliseconds: now)
    self.drain = drain
    guard !drain.isDone else { return completion() }
    drain.limit(to: now + graceMilliseconds)
    drain.completions.append(completion)
    drain.goOn(connections, at: now)
    tick(everyMilliseconds: 50)
    finishDrainIfDone()
  }

  private func finishDrainIfDone() {
    guard let drain, connections.isEmpty, !drain.isDone else { return }
    drain.isDone = true
    ticker?.close()
    ticker = nil
    deadlineTimer?.close()
    deadlineTimer = nil
    // Handlers may hold what holds this loop.
    services = Services(Service(router: Router([])))
    for completion in drain.completions { completion() }
    drain.completions = []
  }
}

/// A service behind a reference, so that looking up a method copies nothing.
final class Services {
  let router: Router
  let admission: (any Admission)?

  init(_ service: Service) {
    router = service.router
    admission = service.admission
  }
}
