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
  let policy: ConnectionPolicy
  let census: ConnectionCensus
  let work: WorkLimit
  let onCall: ((CallRecord) -> Void)?
  /// How long a connection is not looked at, at most.
  let patrolMilliseconds: UInt64
  /// Connections handed to this loop and not yet gone; read by whoever hands them out.
  let connectionCount = Atomic(0)

  private(set) var services = Services(Service(router: Router([])))
  private(set) var figures = LoopFigures(Router([]))
  /// Of each method, in the router's order.
  @exclusivity(unchecked) var callsAtWork: [Int] = []
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
  private var paused: [ServerConnection] = []
  private let visits = DeadlineQueue<ServerConnection>()
  private var visitTimer: LoopTimer?
  private var visitTimerAt = UInt64.max
  private var deadlineTimer: LoopTimer?
  private var deadlineTimerAt = UInt64.max
  private var ticker: LoopTimer?
  private var drain: ServerDrain?

  init(
    loop: EventLoop, limits: CallLimits, policy: ConnectionPolicy, budget: ServerBudget, census: ConnectionCensus,
    work: WorkLimit, onCall: (@Sendable (CallRecord) -> Void)?,
    onSecurityProblem: @escaping @Sendable (_ peer: String, TLSError) -> Void
  ) {
    self.loop = loop
    inflation = InflationDesk(loop: loop)
    deflation = DeflationDesk(loop: loop)
    self.onSecurityProblem = onSecurityProblem
    self.limits = limits
    self.policy = policy
    self.budget = budget
    self.census = census
    self.work = work
    self.onCall = onCall
    patrolMilliseconds = max(
      50, min(policy.requestIdle / 2, policy.keepaliveTime, policy.maximumIdle ?? .max))
    var settings = HTTP2Settings()
    settings.maximumStreamCount = UInt32(clamping: limits.streamsPerConnection)
    settings.streamWindow = UInt32(clamping: limits.streamWindow)
    settings.connectionWindow = Int32(clamping: limits.connectionWindow)
    settings.headerListBytes = UInt32(clamping: CallLimits.headerListBytes)
    self.settings = settings
    budget.whenExceeded { [weak self] budget in
      guard let self else { return budget.hasMadeRoom() }
      loop.execute {
        self.makeRoom()
        budget.hasMadeRoom()
      }
    }
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
    figures = LoopFigures(service.router)
    callsAtWork = Array(repeating: 0, count: service.router.allPaths.count)
  }

  /// What this loop has counted, with what is the case now.
  var snapshot: ServerFigures {
    var snapshot = figures.snapshot
    snapshot.connections.openCount = connections.count
    return snapshot
  }

  // MARK: - Connections

  /// Takes over a socket that was counted in `connectionCount` already.
  func adopt(
    _ descriptor: CInt, peer: SocketAddress, by listener: GRPCServer.Configuration.Listener,
    entry: ConnectionCensus.Entry
  ) {
    do {
      let socket = try TCPStream(loop: loop, adopting: descriptor)
      guard drain == nil else {
        socket.close()
        return uncount(entry)
      }
      try adopt(socket, peer: peer, by: listener, entry: entry)
    } catch {
      uncount(entry)
    }
  }

  private func adopt(
    _ socket: TCPStream, peer: SocketAddress, by listener: GRPCServer.Configuration.Listener,
    entry: ConnectionCensus.Entry
  ) throws {
    do {
      let context = ConnectionContext(peer: peer.description, allowsAdmin: listener.allowsAdmin)
      let tls = try listener.security.context.map { try TLSSession($0, buffers: tlsBuffers) }
      let connection = try ServerConnection(home: self, socket: socket, context: context, tls: tls, entry: entry)
      figures.connections.openedCount += 1
      connection.place = connections.count
      connections.append(connection)
      connection.start()
    } catch {
      socket.close()
      throw error
    }
  }

  private func uncount(_ entry: ConnectionCensus.Entry) {
    connectionCount.wrappingSubtract(1, ordering: .relaxed)
    census.leave(entry)
  }

  /// Makes room where the server has as many connections as it may: those that have not even said who they are have had a
  /// moment to do so (G-151).
  func closeUnestablished() {
    let now = loop.nowMilliseconds
    for connection in connections where connection.isReluctant(at: now) { connection.close() }
  }

  /// Too much of requests is in memory: connections that hold more than the others come down.
  private func makeRoom() {
    guard let level = budget.level else { return }
    for connection in connections where connection.account.heldByteCount > level { connection.comeDown(to: level) }
  }

  func remove(_ connection: ServerConnection) {
    let place = connection.place
    guard connections.indices.contains(place), connections[place] === connection else { return }
    let last = connections.removeLast()
    if last !== connection {
      connections[place] = last
      last.place = place
    }
    uncount(connection.entry)
    visits.remove(connection)
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
    guard !paused.isEmpty else { return }
    for connection in paused { connection.resume() }
    paused.removeAll()
  }

  /// `connection` has had its share of the turn, and reads again after it.
  func resumeAtTurnEnd(_ connection: ServerConnection) {
    paused.append(connection)
    guard !isObserving else { return }
    isObserving = true
    loop.atTurnEnd(self)
  }

  // MARK: - Visits

  /// Has the connection visited at `milliseconds` or a little later, and not at the time said before.
  func visit(_ connection: ServerConnection, at milliseconds: UInt64) {
    visits.remove(connection)
    // Late by a sixteenth of the time at most, so that many are visited at once.
    let now = loop.nowMilliseconds
    let step: UInt64 = milliseconds > now + 1_024 ? 64 : 1
    let rounded = milliseconds > .max - step ? .max : (milliseconds + step - 1) / step * step
    // Never again within the same visits: those go on until none is due.
    visits.insert(connection, at: max(rounded, now + 1))
    armVisitTimer()
  }

  private func armVisitTimer() {
    guard drain?.isDone != true, let earliest = visits.earliest, earliest < visitTimerAt else { return }
    let timer = visitTimer ?? LoopTimer(loop: loop) { [unowned self] in makeVisits() }
    visitTimer = timer
    visitTimerAt = earliest
    let now = loop.nowMilliseconds
    timer.start(afterMilliseconds: earliest > now ? earliest - now : 0)
  }

  private func makeVisits() {
    visitTimerAt = .max
    let now = loop.nowMilliseconds
    while let connection = visits.popDue(at: now) { connection.visit(at: now) }
    armVisitTimer()
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
    drain?.goOn(connections, at: loop.nowMilliseconds)
    finishDrainIfDone()
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
    visitTimer?.close()
    visitTimer = nil
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
