package import EnergyAnalysis
package import EnergyModel
package import GridData
internal import Locking
package import Storage

/// What a publication did to guidance.
package struct PublicationEffect: Hashable, Sendable {
  /// The series whose guidance changed at once. What the floor between two revisions holds back is not among them.
  package let changed: Set<GuidanceSeries>

  package init(changed: Set<GuidanceSeries>) {
    self.changed = changed
  }
}

/// ElectricityGuidanceService without its messages: the current guidance of each series, kept up to date by an engine
/// of its own while others read (docs/architecture.md, Guidance).
package final class GuidanceService: Sendable {
  package struct Settings: Sendable {
    /// What is worth handing out, and how often (`--guidance-min-interval`).
    package var reissueRule: ReissueRule
    /// Where the engine runs: a thread of its own; `nil`: Swift's pool.
    package var executor: (any TaskExecutor)?

    package init(reissueRule: ReissueRule = ReissueRule(), executor: (any TaskExecutor)? = nil) {
      self.reissueRule = reissueRule
      self.executor = executor
    }
  }

  private enum Command: Sendable {
    case load(Reply<Void>)
    case add([GuidanceSeries], Reply<Void>)
    case publish(GridSignal, Reply<Set<GuidanceSeries>>)
    case savePlan(RatePlan, Reply<Void>)
    case regions(Reply<[GridRegionState]>)
    /// `nil`: from the timer.
    case tick(Reply<Void>?)
  }

  private typealias Reply<Value: Sendable> = CheckedContinuation<Result<Value, StoreError>, Never>

  let clock: ServiceClock
  private let snapshot: Lock<GuidanceSnapshot>
  private let inbox: AsyncStream<Command>.Continuation
  private let engine: Task<Void, Never>

  /// Loads what is stored, computes the guidance of all venues and begins to keep it up to date.
  ///
  /// - Parameters:
  ///   - source: Grid data beside what is published.
  ///   - observer: Also told of what is computed at the start.
  /// - Throws: `serviceUnavailable` where the store fails.
  package static func start(
    store: any EnergyStore, clock: ServiceClock, source: (any GridDataSource)?, settings: Settings = Settings(),
    observer: GuidanceObserver = GuidanceObserver()
  ) async throws(EnergyKitError) -> GuidanceService {
    let service = GuidanceService(store: store, clock: clock, source: source, settings: settings, observer: observer)
    try await service.ask { .load($0) }
    return service
  }

  private init(
    store: any EnergyStore, clock: ServiceClock, source: (any GridDataSource)?, settings: Settings,
    observer: GuidanceObserver
  ) {
    let snapshot = Lock(GuidanceSnapshot())
    let (commands, inbox) = AsyncStream.makeStream(of: Command.self)
    let executor = settings.executor
    let rule = settings.reissueRule
    self.clock = clock
    self.snapshot = snapshot
    self.inbox = inbox
    engine = Task(executorPreference: executor) {
      let engine = GuidanceEngine(store: store, source: source, rule: rule, observer: observer) { new in
        snapshot.withLock { $0 = new }
      }
      let alarm = Alarm(clock: clock, executor: executor) { inbox.yield(.tick(nil)) }
      for await command in commands {
        await Self.perform(command, on: engine, clock: clock)
        alarm.set(to: engine.dueTime)
      }
      alarm.cancel()
    }
  }

  deinit { inbox.finish() }

  private static func perform(_ command: Command, on engine: GuidanceEngine, clock: ServiceClock) async {
    let now = clock.now
    switch command {
    case .load(let reply):
      reply.resume(returning: await outcome { () async throws(StoreError) in try await engine.load(now: now) })
    case .add(let series, let reply):
      reply.resume(
        returning: await outcome { () async throws(StoreError) in try await engine.add(series, now: now) })
    case .publish(let signal, let reply):
      reply.resume(
        returning: await outcome { () async throws(StoreError) in try await engine.publish(signal, now: now) })
    case .savePlan(let plan, let reply):
      reply.resume(returning: await outcome { () async throws(StoreError) in try await engine.save(plan, now: now) })
    case .regions(let reply):
      reply.resume(returning: await outcome { () async throws(StoreError) in try await engine.regions(now: now) })
    case .tick(let reply):
      await engine.tick(now: now)
      reply?.resume(returning: .success(()))
    }
  }

  /// Hands a command to the engine and waits until it is done.
  private func ask<Value: Sendable>(
    _ command: (Reply<Value>) -> Command
  ) async throws(EnergyKitError) -> Value {
    let result: Result<Value, StoreError> = await withCheckedContinuation { reply in
      switch inbox.yield(command(reply)) {
      case .enqueued, .dropped: break
      case .terminated: reply.resume(returning: .failure(.closed))
      @unknown default: break
      }
    }
    do { return try result.get() } catch { throw EnergyKitError(error) }
  }

  // MARK: Reading

  /// The series that guidance for a venue comes from, after all checks that stand before guidance: entitlement, venue
  /// and access, location services, region (docs/architecture.md, Order of checks).
  ///
  /// - Parameter pass: `nil` where the venue is absent to the caller.
  /// - Throws: `permissionDenied`, `venueUnavailable`, `locationServicesDenied`, `unsupportedRegion`.
  package func series(
    at pass: VenuePass?, action: SuggestedAction, as caller: Caller
  ) throws(EnergyKitError) -> GuidanceSeries {
    try caller.require(.energyKit)
    return try series(for: try pass.visible(), action: action)
  }

  /// The series that guidance for a venue comes from; checks location services, then region.
  /// - Throws: `locationServicesDenied`, `unsupportedRegion`.
  package func series(for pass: VenuePass, action: SuggestedAction) throws(EnergyKitError) -> GuidanceSeries {
    try GuidanceSeries.checked(of: pass.venue, action: action)
  }

  /// The current guidance as far as the engine has it already, without waiting; `nil` also for a series that nobody has
  /// asked for yet.
  package func current(_ series: GuidanceSeries) -> GuidanceRevision? {
    let known = snapshot.withLock { $0[series] }
    guard let revision = known ?? nil, revision.isInForce(at: clock.now) else { return nil }
    return revision
  }

  /// The current guidance; computes it where nobody has asked for the series yet.
  /// - Throws: `guidanceUnavailable` with a spread delay, `serviceUnavailable` where the store fails.
  package func revision(of series: GuidanceSeries) async throws(EnergyKitError) -> GuidanceRevision {
    if let revision = current(series) { return revision }
    if snapshot.withLock({ $0[series] }) == nil { try await prepare([series]) }
    guard let revision = current(series) else {
      throw .guidanceUnavailable(retryAfterSeconds: GuidanceRetry.seconds())
    }
    return revision
  }

  /// All regions that there is data or a venue for, by code.
  /// - Throws: `serviceUnavailable` where the store fails.
  package func gridRegions() async throws(EnergyKitError) -> [GridRegionState] {
    try await ask { .regions($0) }
  }

  // MARK: Causes of change

  /// Begins to keep series up to date; returns once their guidance is computed and readable, where there is any.
  /// - Throws: `serviceUnavailable` where the store fails.
  package func prepare(_ series: [GuidanceSeries]) async throws(EnergyKitError) {
    try await ask { .add(series, $0) }
  }

  /// Keeps a publication of the operator, then computes what follows from it: durable first, and current for all
  /// readers when this returns.
  /// - Throws: `serviceUnavailable` where the store fails; nothing has changed then.
  package func publish(_ signal: GridSignal) async throws(EnergyKitError) -> PublicationEffect {
    PublicationEffect(changed: try await ask { .publish(signal, $0) })
  }

  /// Keeps a rate plan, then computes what follows from it, exempt from the floor between revisions.
  /// - Throws: `serviceUnavailable` where the store fails.
  package func save(_ plan: RatePlan) async throws(EnergyKitError) {
    try await ask { .savePlan(plan, $0) }
  }

  /// Does now what is due by the clock, instead of when the engine wakes: for clocks that jump.
  package func catchUp() async {
    _ = try? await ask { Command.tick($0) }
  }

  /// Finishes what was asked and stops; later commands fail with `serviceUnavailable`. What is current stays readable.
  package func stop() async {
    inbox.finish()
    await engine.value
  }
}

/// Wakes the engine when something is due. The clock may jump meanwhile, so it looks at it every 30 seconds.
private final class Alarm {
  private static let longestSleepMilliseconds: Int64 = 30_000
  private static let shortestSleepMilliseconds: Int64 = 10

  let clock: ServiceClock
  private let executor: (any TaskExecutor)?
  private let ring: @Sendable () -> Void
  private var sleeper: Task<Void, Never>?

  init(clock: ServiceClock, executor: (any TaskExecutor)?, ring: @escaping @Sendable () -> Void) {
    self.clock = clock
    self.executor = executor
    self.ring = ring
  }

  func set(to moment: Timestamp?) {
    cancel()
    let left = moment?.milliseconds(since: clock.now) ?? Self.longestSleepMilliseconds
    let pause = max(Self.shortestSleepMilliseconds, min(left, Self.longestSleepMilliseconds))
    sleeper = Task(executorPreference: executor) { [ring] in
      do { try await Task.sleep(for: .milliseconds(pause)) } catch { return }
      ring()
    }
  }

  func cancel() {
    sleeper?.cancel()
    sleeper = nil
  }
}

/// `Result` from a call with typed throws, which `Result.init(catching:)` has for synchronous ones only.
private func outcome<Value>(
  _ body: () async throws(StoreError) -> Value
) async -> Result<Value, StoreError> {
  do { return .success(try await body()) } catch { return .failure(error) }
}
