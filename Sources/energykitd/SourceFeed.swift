import EnergyModel
import EnergyService
import GridData

/// A source of grid data as the guidance service asks for it.
struct SourceFeed: CarbonFeed {
  let source: any GridDataSource

  func carbon(gridRegion: String, at now: Timestamp) -> RegionCarbon? {
    source.snapshot(gridRegion: gridRegion, at: now).map { snapshot in
      RegionCarbon(
        forecast: snapshot.forecast, measured: snapshot.measured, climatology: snapshot.climatology,
        nextRunTime: snapshot.nextRunTime)
    }
  }
}
