package import EnergyModel

/// Several sources, the best first: what an operator publishes goes before what files hold, and that before the
/// recording.
package struct LayeredSource: GridDataSource {
  private let layers: [any GridDataSource]

  /// A run may be this old, and must reach this far, to go before a lower layer's.
  private static let oldestRun: Int64 = 24 * 3_600_000
  private static let shortestReach: Int64 = 6 * 3_600_000

  /// - Parameter layers: The best first.
  package init(_ layers: [any GridDataSource]) {
    self.layers = layers
  }

  package var gridRegions: [String] { Set(layers.flatMap(\.gridRegions)).sorted() }

  /// The forecast of the first layer that has a live one, else of the first that has any. Measured values are those of
  /// the forecast's kind and model from all layers, the better layer's where they overlap; climatology is the first one
  /// of its kind.
  package func snapshot(gridRegion: String, at now: Timestamp) -> GridSnapshot? {
    let snapshots = layers.compactMap { $0.snapshot(gridRegion: gridRegion, at: now) }
    guard
      let best = snapshots.first(where: { $0.forecast.map { Self.isLive($0, at: now) } ?? false })
        ?? snapshots.first(where: { $0.forecast != nil }) ?? snapshots.first
    else { return nil }
    guard let key = best.forecast?.key ?? best.measured?.key ?? best.climatology?.key else { return best }
    let since = now.advanced(byMilliseconds: -Self.historyMilliseconds)
    return GridSnapshot(
      forecast: best.forecast,
      measured: measured(key, since: since, until: now),
      climatology: snapshots.compactMap(\.climatology).first { $0.key.kind == key.kind },
      nextRunTime: best.nextRunTime)
  }

  package func measured(_ key: SignalKey, since: Timestamp, until: Timestamp) -> GridSignal? {
    let signals = layers.compactMap { $0.measured(key, since: since, until: until) }
    return GridSignal(merging: signals.reversed(), since: since, until: until)
  }

  private static func isLive(_ run: GridSignal, at now: Timestamp) -> Bool {
    guard let end = run.points.last?.interval.end else { return false }
    return now.milliseconds(since: run.issueTime) <= oldestRun && end.milliseconds(since: now) >= shortestReach
  }
}
