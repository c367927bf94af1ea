package import EnergyAnalysis
package import EnergyModel
internal import GridData
package import Storage

/// What the engine tells whoever hands guidance out. The calls come on the engine's thread, in order.
package struct GuidanceObserver: Sendable {
  /// A series has new guidance; it is durable, and current for every reader, before this is called.
  package var onRevision: @Sendable (GuidanceRevision) -> Void
  /// The guidance of a series has run out and there is no new one: its streams end (docs/architecture.md, Guidance).
  package var onUnavailable: @Sendable (GuidanceSeries) -> Void
  /// For the log.
  package var onProblem: @Sendable (GuidanceProblem) -> Void

  package init(
    onRevision: @escaping @Sendable (GuidanceRevision) -> Void = { _ in },
    onUnavailable: @escaping @Sendable (GuidanceSeries) -> Void = { _ in },
    onProblem: @escaping @Sendable (GuidanceProblem) -> Void = { _ in }
  ) {
    self.onRevision = onRevision
    self.onUnavailable = onUnavailable
    self.onProblem = onProblem
  }
}

/// Why a series has no newer guidance.
package enum GuidanceProblem: Hashable, Sendable {
  case noRating(GuidanceSeries, RatingFailure)
  case store(StoreError)
}

/// Keeps the guidance of all known series up to date: computes, decides what is worth handing out, makes it durable,
/// hands it out. Everything happens on one task, one step after the other.
final class GuidanceEngine {
  /// After a failure of the store, when to try again.
  private static let retryMilliseconds: Int64 = 5_000
  /// Revisions that are made durable at the same time.
  private static let writeBatchCount = 64
  private static let hourMilliseconds: Int64 = 3_600_000

  private struct State {
    var current: GuidanceRevision?
    /// When to decide again at the latest.
    var dueTime: Timestamp
  }

  private let store: any EnergyStore
  private let source: (any GridDataSource)?
  private let rule: ReissueRule
  private let observer: GuidanceObserver
  /// Makes what is current readable for everyone.
  private let show: @Sendable (GuidanceSnapshot) -> Void

  private var snapshot = GuidanceSnapshot()
  private var states: [GuidanceSeries: State] = [:]
  /// Revisions of earlier runs of the program, whose series have not been asked for in this one.
  private var stored: [GuidanceSeries: GuidanceRevision] = [:]
  private var plans: [String: RatePlan] = [:]
  private var published: [String: RegionPublications] = [:]
  private var numbers = RevisionNumbers()

  init(
    store: any EnergyStore, source: (any GridDataSource)?, rule: ReissueRule, observer: GuidanceObserver,
    show: @escaping @Sendable (GuidanceSnapshot) -> Void
  ) {
    self.store = store
    self.source = source
    self.rule = rule
    self.observer = observer
    self.show = show
  }

  /// When there is something to do, whatever else happens.
  var dueTime: Timestamp? { states.values.map(\.dueTime).min() }

  // MARK: Causes

  /// Reads what earlier runs left, so that unchanged guidance keeps its token, and computes for all venues.
  func load(now: Timestamp) async throws(StoreError) {
    for plan in try await store.ratePlans() { plans[plan.id] = plan }
    for revision in try await store.currentRevisions() {
      numbers.skip(revision, now: now)
      // What a wrong clock has issued far ahead is not handed out: its tokens would not verify.
      guard revision.issueTime.seconds <= now.seconds + RevisionNumbers.maximumLeadSeconds else { continue }
      stored[revision.series] = revision
    }
    var series: Set<GuidanceSeries> = []
    var cursor: NameCursor?
    repeat {
      let venues = try await store.venues(after: cursor, limit: 1_000)
      for venue in venues where venue.mayHaveGuidance {
        for action in SuggestedAction.allCases { series.insert(GuidanceSeries(of: venue, action: action)) }
      }
      cursor = venues.count == 1_000 ? venues.last.map { NameCursor(name: $0.name, id: $0.id) } : nil
    } while cursor != nil
    try await add(series, now: now)
  }

  /// Begins to keep series up to date that were not known.
  func add(_ series: some Sequence<GuidanceSeries>, now: Timestamp) async throws(StoreError) {
    let added = series.filter { states[$0] == nil }
    guard !added.isEmpty else { return }
    for region in Set(added.map(\.gridRegion)) { try await loadPublications(of: region, now: now) }
    for series in added {
      let earlier = stored.removeValue(forKey: series)
      states[series] = State(current: earlier, dueTime: now)
      snapshot[series] = .some(earlier)
    }
    await decide(on: added, now: now)
  }

  private func loadPublications(of region: String, now: Timestamp) async throws(StoreError) {
    guard published[region] == nil else { return }
    var signals = RegionPublications()
    let since = now.advanced(byMilliseconds: -RegionPublications.measuredMilliseconds)
    for signal in try await store.signals(gridRegion: region, since: since) { signals.accept(signal, now: now) }
    published[region] = signals
  }

  /// What is known of each region that there is data or a venue for, by code.
  func regions(now: Timestamp) async throws(StoreError) -> [GridRegionState] {
    var current: [String: GuidanceRevision] = [:]
    for (series, state) in states {
      guard let revision = state.current else { continue }
      // Any will do; that without a plan says most.
      if series.ratePlan == nil || current[series.gridRegion] == nil { current[series.gridRegion] = revision }
    }
    let codes = Set(states.keys.map(\.gridRegion)).union(try await store.signalRegions()).union(
      source?.gridRegions ?? [])
    var regions: [GridRegionState] = []
    for code in codes.sorted() {
      try await loadPublications(of: code, now: now)
      let carbon = carbon(of: code, at: now)
      regions.append(GridRegionState(code: code, carbon, current[code], now: now))
    }
    return regions
  }

  /// Keeps a publication, then computes what follows from it.
  /// - Returns: The series whose guidance changed.
  func publish(_ signal: GridSignal, now: Timestamp) async throws(StoreError) -> Set<GuidanceSeries> {
    try await store.append(signal)
    let region = signal.key.gridRegion
    guard published[region] != nil else { return [] }
    published[region]?.accept(signal, now: now)
    return await decide(on: states.keys.filter { $0.gridRegion == region }, now: now)
  }

  /// Keeps a plan, then computes what follows from it; exempt from the floor (docs/architecture.md, Guidance).
  func save(_ plan: RatePlan, now: Timestamp) async throws(StoreError) {
    try await store.save(plan)
    guard plans.updateValue(plan, forKey: plan.id) != plan else { return }
    await decide(on: states.keys.filter { $0.ratePlan?.ratePlanID == plan.id }, now: now, mustSend: true)
  }

  /// The clock has moved on.
  func tick(now: Timestamp) async {
    let due = states.filter { $1.dueTime <= now }.map(\.key)
    if !due.isEmpty { await decide(on: due, now: now) }
  }

  // MARK: Effects

  @discardableResult
  private func decide(
    on series: some Sequence<GuidanceSeries>, now: Timestamp, mustSend: Bool = false
  ) async -> Set<GuidanceSeries> {
    var carbons: [String: GridSnapshot] = [:]
    var drafts: [GuidanceRevision] = []
    for series in series {
      let carbon = carbons[series.gridRegion] ?? carbon(of: series.gridRegion, at: now)
      carbons[series.gridRegion] = carbon
      if let draft = judge(series, carbon, now: now, mustSend: mustSend) { drafts.append(draft) }
    }
    var issued: Set<GuidanceSeries> = []
    for start in stride(from: 0, to: drafts.count, by: Self.writeBatchCount) {
      let batch = drafts[start..<min(start + Self.writeBatchCount, drafts.count)]
      issued.formUnion(await issue(Array(batch), now: now))
    }
    endExpired(now: now)
    show(snapshot)
    return issued
  }

  private func carbon(of region: String, at now: Timestamp) -> GridSnapshot {
    (published[region] ?? RegionPublications()).snapshot(gridRegion: region, beside: source, at: now)
  }

  /// Computes and decides; sets when to do so again.
  /// - Returns: What is to be handed out, `nil` where that is nothing now.
  private func judge(
    _ series: GuidanceSeries, _ carbon: GridSnapshot, now: Timestamp, mustSend: Bool
  ) -> GuidanceRevision? {
    let current = states[series]?.current
    var dueTime = carbon.nextSlot(after: now)
    var draft: GuidanceRevision?
    switch GuidanceComputation.rate(input(of: series, carbon, now: now)) {
    case .failure(let failure):
      observer.onProblem(.noRating(series, failure))
    case .success(let rated):
      switch rule.decide(previous: current, rated: rated, now: now, mustSend: mustSend) {
      case .unchanged: break
      case .hold(let until): dueTime = min(dueTime, until)
      case .send(let content):
        let name = numbers.next(now: now)
        draft = content.revision(of: series, issueTime: name.issueTime, number: name.number)
      }
    }
    states[series]?.dueTime = Self.earliest(dueTime, of: draft ?? current, after: now)
    return draft
  }

  private func input(of series: GuidanceSeries, _ carbon: GridSnapshot, now: Timestamp) -> RatingInput {
    let tariff = series.ratePlan.flatMap { plan in
      plans[plan.ratePlanID].flatMap {
        Tariff(plan: $0, timeZone: plan.timeZone, isIncorporated: plan.isIncorporated)
      }
    }
    return RatingInput(
      gridRegion: series.gridRegion, action: series.action, now: now, forecast: carbon.forecast,
      measured: carbon.measured, climatology: carbon.climatology, tariff: tariff, nextRunTime: carbon.nextRunTime)
  }

  /// The next of `dueTime`, the promised update and the end of what was handed out.
  private static func earliest(
    _ dueTime: Timestamp, of revision: GuidanceRevision?, after now: Timestamp
  ) -> Timestamp {
    let moments = [revision?.nextUpdateTime, revision?.interval?.end].compactMap(\.self)
    return moments.filter { $0 > now }.reduce(dueTime, min)
  }

  /// Durable first, then current, then told.
  /// - Returns: The series of those that could be made durable.
  private func issue(_ drafts: [GuidanceRevision], now: Timestamp) async -> Set<GuidanceSeries> {
    let failures = await Self.write(drafts, to: store)
    var issued: [GuidanceRevision] = []
    for (draft, failure) in zip(drafts, failures) {
      if let failure {
        states[draft.series]?.dueTime = now.advanced(byMilliseconds: Self.retryMilliseconds)
        observer.onProblem(.store(failure))
      } else {
        states[draft.series]?.current = draft
        snapshot[draft.series] = .some(draft)
        issued.append(draft)
      }
    }
    show(snapshot)
    for revision in issued { observer.onRevision(revision) }
    return Set(issued.map(\.series))
  }

  /// At the same time, so that one commit takes them all.
  private static func write(_ drafts: [GuidanceRevision], to store: any EnergyStore) async -> [StoreError?] {
    await withTaskGroup(of: (Int, StoreError?).self) { group in
      for (index, draft) in drafts.enumerated() {
        group.addTask {
          do throws(StoreError) {
            try await store.append(draft)
            return (index, nil)
          } catch {
            return (index, error)
          }
        }
      }
      var failures = [StoreError?](repeating: nil, count: drafts.count)
      for await (index, failure) in group { failures[index] = failure }
      return failures
    }
  }

  private func endExpired(now: Timestamp) {
    for (series, state) in states {
      guard let current = state.current, !current.isInForce(at: now) else { continue }
      states[series]?.current = nil
      snapshot[series] = .some(nil)
      show(snapshot)
      observer.onUnavailable(series)
    }
  }
}

extension GridSnapshot {
  /// When the next value of the forecast begins to hold: at the next full hour at the latest.
  fileprivate func nextSlot(after now: Timestamp) -> Timestamp {
    let hour: Int64 = 3_600_000
    let nextHour = now.floored(toMultipleOf: hour).advanced(byMilliseconds: hour)
    let starts = (forecast?.points ?? []).lazy.map(\.interval.start).filter { $0 > now && $0 < nextHour }
    return starts.min() ?? nextHour
  }
}
