import EnergyModel

/// What the operator has published for one region, as far as guidance needs it. Series of different models stay apart
/// (domain.md §2.0).
struct RegionPublications {
  /// Before another source, a run counts only as long as it is no older (domain.md §3.5: older ones are stale).
  static let freshMilliseconds: Int64 = 6 * 3_600_000
  /// Older runs say nothing any more (domain.md §3.5).
  static let expiredMilliseconds: Int64 = 24 * 3_600_000
  /// Measured values are kept this long: 28 local days before the last local midnight, and some.
  static let measuredMilliseconds: Int64 = 31 * 24 * 3_600_000

  private var runs: [SignalKey: GridSignal] = [:]
  private var measured: [SignalKey: [SignalPoint]] = [:]

  /// Takes in a publication; a run older than the one in use of its model is ignored, prices too (they enter guidance
  /// by rate plans).
  mutating func accept(_ signal: GridSignal, now: Timestamp) {
    guard signal.key.kind.isCarbon, !signal.points.isEmpty else { return }
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

  /// What guidance is to be computed from, given what another source has.
  func carbon(beside feed: RegionCarbon?, gridRegion: String, at now: Timestamp) -> RegionCarbon {
    guard let run = newestRun(at: now, isFeedThere: feed?.forecast != nil) else {
      guard var carbon = feed else { return RegionCarbon(measured: newestMeasured(gridRegion, at: now)) }
      if let key = carbon.forecast?.key ?? carbon.measured?.key {
        carbon.measured = measuredSignal(key, beside: carbon.measured, at: now)
      } else {
        carbon.measured = newestMeasured(gridRegion, at: now)
      }
      return carbon
    }
    return RegionCarbon(
      forecast: Self.filled(run, with: feed?.forecast),
      measured: measuredSignal(run.key, beside: feed?.measured, at: now),
      climatology: feed?.climatology.flatMap { $0.key.kind == run.key.kind ? $0 : nil }, nextRunTime: nil)
  }

  /// The newest run that covers now; where another source has a forecast, only while it is fresh.
  private func newestRun(at now: Timestamp, isFeedThere: Bool) -> GridSignal? {
    let oldest = isFeedThere ? Self.freshMilliseconds : Self.expiredMilliseconds
    return runs.values.filter { $0.age(at: now) <= oldest && $0.covers(now) }
      .max { ($0.issueTime, $0.key.model) < ($1.issueTime, $1.key.model) }
  }

  /// Measured values of one model from both places; the operator's own where both have one.
  private func measuredSignal(_ key: SignalKey, beside other: GridSignal?, at now: Timestamp) -> GridSignal? {
    let others = other?.key == key ? other?.points ?? [] : []
    let points = Self.merge(others, with: measured[key] ?? [])
    return points.isEmpty ? nil : GridSignal(key: key, isMeasured: true, issueTime: now, points: points)
  }

  /// Where there is no forecast at all: the model whose values reach furthest.
  private func newestMeasured(_ gridRegion: String, at now: Timestamp) -> GridSignal? {
    let newest = measured.max { a, b in
      (a.value.last?.interval.end ?? .earliest, a.key.model) < (b.value.last?.interval.end ?? .earliest, b.key.model)
    }
    return newest.map { GridSignal(key: $0.key, isMeasured: true, issueTime: now, points: $0.value) }
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
  fileprivate func covers(_ now: Timestamp) -> Bool { points.contains { $0.interval.contains(now) } }
}
