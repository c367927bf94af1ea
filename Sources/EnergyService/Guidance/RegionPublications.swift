import EnergyModel
import GridData

/// What the operator has published for one region, as far as guidance needs it. Series of different models stay apart
/// (docs/rating.md, Signals).
struct RegionPublications {
  /// Before another source, a run counts only as long as it is no older (docs/rating.md, Signals).
  static let freshMilliseconds: Int64 = 6 * 3_600_000
  /// Older runs say nothing any more (docs/rating.md, Signals).
  static let expiredMilliseconds: Int64 = 24 * 3_600_000
  /// A run must reach this far to go before another source's (less is no horizon).
  static let shortestReachMilliseconds: Int64 = 6 * 3_600_000
  /// How far a run's issue may lie ahead of the clock: a producer's may be a little fast. What is issued later than
  /// that would stand before every honest run for ever, so it is ignored.
  static let maximumLeadMilliseconds: Int64 = 5 * 60_000
  /// Measured values are kept this long: 28 local days before the last local midnight, and some.
  static let measuredMilliseconds: Int64 = 31 * 24 * 3_600_000

  private var runs: [SignalKey: GridSignal] = [:]
  private var measured: [SignalKey: [SignalPoint]] = [:]

  /// Takes in a publication; a run older than the one in use of its model is ignored, prices too (they enter guidance
  /// by rate plans).
  mutating func accept(_ signal: GridSignal, now: Timestamp) {
    guard signal.key.kind.isCarbon, !signal.points.isEmpty else { return }
    guard signal.age(at: now) >= -Self.maximumLeadMilliseconds else { return }
    if signal.isMeasured {
      let merged = Self.merge(measured[signal.key] ?? [], with: signal.points)
      let oldest = now.advanced(byMilliseconds: -Self.measuredMilliseconds)
      measured[signal.key] = Array(merged.drop { $0.interval.end < oldest })
    } else if runs[signal.key].map({ $0.issueTime <= signal.issueTime }) ?? true {
      runs[signal.key] = signal
    }
    runs = runs.filter { $1.age(at: now) <= Self.expiredMilliseconds }
  }

  /// For tests.
  var runCount: Int { runs.count }

  /// What guidance is to be computed from, given another source.
  func snapshot(gridRegion: String, beside source: (any GridDataSource)?, at now: Timestamp) -> GridSnapshot {
    let other = source?.snapshot(gridRegion: gridRegion, at: now)
    if let run = newestRun(before: other?.forecast, at: now) {
      return GridSnapshot(
        forecast: Self.filled(run, with: other?.forecast), measured: measured(run.key, beside: source, at: now),
        climatology: other?.climatology.flatMap { $0.key.kind == run.key.kind ? $0 : nil }, nextRunTime: nil)
    }
    guard let key = other?.forecast?.key ?? other?.measured?.key ?? newestMeasuredKey else {
      return other ?? GridSnapshot(forecast: nil, measured: nil, climatology: nil, nextRunTime: nil)
    }
    return GridSnapshot(
      forecast: other?.forecast, measured: measured(key, beside: source, at: now), climatology: other?.climatology,
      nextRunTime: other?.nextRunTime)
  }

  /// The newest run that covers now and, where there is another source to fall back on, reaches far enough: before that
  /// source's as long as it is fresh, and also later where that one is no newer.
  private func newestRun(before other: GridSignal?, at now: Timestamp) -> GridSignal? {
    let run = runs.values.filter { $0.age(at: now) <= Self.expiredMilliseconds && $0.covers(now) }
      .filter { other == nil || Self.filled($0, with: other).reach(from: now) >= Self.shortestReachMilliseconds }
      .max { ($0.issueTime, $0.key.model) < ($1.issueTime, $1.key.model) }
    guard let run, let other, run.age(at: now) > Self.freshMilliseconds else { return run }
    return other.covers(now) && other.issueTime > run.issueTime ? nil : run
  }

  /// Measured values of one model from both places; the operator's own where both have one.
  private func measured(_ key: SignalKey, beside source: (any GridDataSource)?, at now: Timestamp) -> GridSignal? {
    let since = now.advanced(byMilliseconds: -Self.measuredMilliseconds)
    let others = source?.measured(key, since: since, until: now)?.points ?? []
    let points = Self.merge(others, with: measured[key] ?? [])
    return points.isEmpty ? nil : GridSignal(key: key, isMeasured: true, issueTime: now, points: points)
  }

  /// Where there is no forecast at all: the model whose values reach furthest.
  private var newestMeasuredKey: SignalKey? {
    measured.max { a, b in
      (a.value.last?.interval.end ?? .earliest, a.key.model) < (b.value.last?.interval.end ?? .earliest, b.key.model)
    }?.key
  }

  /// A run with the hours it lacks taken from another run of the same model, and from nothing else.
  private static func filled(_ run: GridSignal, with other: GridSignal?) -> GridSignal {
    guard let other, other.key == run.key else { return run }
    return GridSignal(
      key: run.key, isMeasured: false, issueTime: run.issueTime, points: merge(other.points, with: run.points))
  }

  /// Both ascending without overlaps; so is the result. Where they overlap, `newer` holds.
  static func merge(_ older: [SignalPoint], with newer: [SignalPoint]) -> [SignalPoint] {
    guard !older.isEmpty else { return newer }
    var result: [SignalPoint] = []
    result.reserveCapacity(older.count + newer.count)
    var next = 0
    for point in older {
      while next < newer.count, newer[next].interval.start <= point.interval.start {
        result.append(newer[next])
        next += 1
      }
      let isCovered =
        (next > 0 && newer[next - 1].interval.end > point.interval.start)
        || (next < newer.count && newer[next].interval.start < point.interval.end)
      if !isCovered { result.append(point) }
    }
    result.append(contentsOf: newer[next...])
    return result
  }
}

extension SignalKind {
  var isCarbon: Bool {
    switch self {
    case .carbonAverage, .carbonMarginal: true
    case .price: false
    }
  }
}

extension GridSignal {
  fileprivate func age(at now: Timestamp) -> Int64 { now.milliseconds(since: issueTime) }
  /// Milliseconds of the time after `now` that have a value.
  fileprivate func reach(from now: Timestamp) -> Int64 {
    points.reduce(0) { $0 + max(0, $1.interval.end.milliseconds(since: max(now, $1.interval.start))) }
  }
  fileprivate func covers(_ now: Timestamp) -> Bool { points.contains { $0.interval.contains(now) } }
}
