package import EnergyModel

/// Where carbon data comes from. Answers from memory: sources that poll keep their own newest state.
package protocol GridDataSource: Sendable {
  /// The grid regions it has data for, ascending.
  var gridRegions: [String] { get }

  /// What is known of a region at a moment; `nil` where it knows nothing of it. Nothing that `now` cannot know is in it.
  func snapshot(gridRegion: String, at now: Timestamp) -> GridSnapshot?

  /// The values of a signal as they turned out that lie wholly within `since..<until`; `nil` where it knows none.
  func measured(_ key: SignalKey, since: Timestamp, until: Timestamp) -> GridSignal?
}

/// What guidance for one region can be computed from at one moment.
package struct GridSnapshot: Hashable, Sendable {
  /// The newest run of a carbon signal, up to 48 h ahead.
  package let forecast: GridSignal?
  /// The same signal as it turned out, of at least the trailing 28 days that end at the region's last local midnight,
  /// as far as it is known.
  package let measured: GridSignal?
  /// Typical values by hour.
  package let climatology: Climatology?
  /// When the next run is expected, where the source has a rhythm.
  package let nextRunTime: Timestamp?

  package init(forecast: GridSignal?, measured: GridSignal?, climatology: Climatology?, nextRunTime: Timestamp?) {
    self.forecast = forecast
    self.measured = measured
    self.climatology = climatology
    self.nextRunTime = nextRunTime
  }
}

extension GridDataSource {
  /// How much of the past a snapshot needs: 28 local days, the part of today, and an hour for the clocks.
  static var historyMilliseconds: Int64 { (29 * 24 + 1) * 3_600_000 }
  /// Guidance reaches no further ahead.
  static var horizonMilliseconds: Int64 { 48 * 3_600_000 }
}
