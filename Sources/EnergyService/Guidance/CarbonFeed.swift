package import EnergyModel

/// A source of grid data beside what the operator publishes: recorded series, files, an upstream service. Asked on the
/// engine's thread; answers from memory.
package protocol CarbonFeed: Sendable {
  /// What the source knows of a region at `now`; `nil` for regions it does not have.
  func carbon(gridRegion: String, at now: Timestamp) -> RegionCarbon?
}

/// Carbon data of one region as it stands at one moment: what guidance is computed from.
package struct RegionCarbon: Hashable, Sendable {
  /// The newest run, of a carbon kind.
  package var forecast: GridSignal?
  /// Values as they turned out, as far back as the reference needs (`ReferenceWindow`).
  package var measured: GridSignal?
  package var climatology: Climatology?
  /// When the source expects its next run, where it says so.
  package var nextRunTime: Timestamp?

  package init(
    forecast: GridSignal? = nil, measured: GridSignal? = nil, climatology: Climatology? = nil,
    nextRunTime: Timestamp? = nil
  ) {
    self.forecast = forecast
    self.measured = measured
    self.climatology = climatology
    self.nextRunTime = nextRunTime
  }
}
