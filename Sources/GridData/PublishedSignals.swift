package import EnergyModel

/// Carbon data from publications: forecast runs and measured values, as an operator publishes or a file holds them.
package struct PublishedSignals: GridDataSource {
  private let publications: [String: [GridSignal]]

  /// - Parameter signals: In any order; signals of prices are left aside.
  package init(_ signals: [GridSignal]) {
    publications = Dictionary(grouping: signals.filter { $0.key.kind != .price }, by: \.key.gridRegion)
  }

  package var gridRegions: [String] { publications.keys.sorted() }

  /// The forecast is the run that was issued last, of several the last in the list. Measured values are those of the
  /// same kind and model, where two publications overlap the later issue's.
  package func snapshot(gridRegion: String, at now: Timestamp) -> GridSnapshot? {
    guard let signals = publications[gridRegion] else { return nil }
    let sorted = Self.sorted(signals)
    let forecast = sorted.last { !$0.isMeasured }
    guard let key = forecast?.key ?? sorted.last?.key else { return nil }
    let since = now.advanced(byMilliseconds: -Self.historyMilliseconds)
    return GridSnapshot(
      forecast: forecast, measured: measured(key, since: since, until: now), climatology: nil, nextRunTime: nil)
  }

  package func measured(_ key: SignalKey, since: Timestamp, until: Timestamp) -> GridSignal? {
    let signals = publications[key.gridRegion, default: []].filter { $0.isMeasured && $0.key == key }
    return GridSignal(merging: Self.sorted(signals), since: since, until: until)
  }

  /// Ascending by time of issue, of one time as in the list.
  private static func sorted(_ signals: [GridSignal]) -> [GridSignal] {
    signals.enumerated().sorted { ($0.element.issueTime, $0.offset) < ($1.element.issueTime, $1.offset) }.map(\.element)
  }
}

extension GridSignal {
  /// The measured points of several publications of one key, later ones winning where they overlap; `nil` without any.
  ///
  /// - Parameter signals: Ascending by importance.
  init?(merging signals: [GridSignal], since: Timestamp, until: Timestamp) {
    guard let newest = signals.last else { return nil }
    var points: [SignalPoint] = []
    for signal in signals.reversed() {
      let fresh = signal.points.filter { since <= $0.interval.start && $0.interval.end <= until }
      points = Self.merge(points, fresh)
    }
    self.init(key: newest.key, isMeasured: true, issueTime: newest.issueTime, points: points)
  }

  /// All of `a`, and what of `b` overlaps none of it. Both ascend and do not overlap within themselves.
  private static func merge(_ a: [SignalPoint], _ b: [SignalPoint]) -> [SignalPoint] {
    var result: [SignalPoint] = []
    result.reserveCapacity(a.count + b.count)
    var next = 0
    for point in b {
      while next < a.count, a[next].interval.end <= point.interval.start {
        result.append(a[next])
        next += 1
      }
      if next < a.count, a[next].interval.start < point.interval.end { continue }
      result.append(point)
    }
    return result + a[next...]
  }
}
