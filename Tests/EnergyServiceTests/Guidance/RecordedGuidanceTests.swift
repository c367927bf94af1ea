import EnergyModel
import FoundationEssentials
import GridData
import ServiceTestSupport
import Storage
import Testing

@testable import EnergyService

@Suite struct `Guidance from the recording` {
  @Test func `is there for every supported venue throughout its ten days`() async throws {
    let store = ProbeStore()
    let source = try RecordedSource()
    let clock = ManualClock()
    for region in source.gridRegions.prefix(3) {
      try await store.save(
        makeVenue(region, region: region, timeZone: GridRegionZone.timeZone(ofRegion: region)))
    }
    try await store.save(makeVenue("with a plan", planID: "pge-ev2a"))
    try await store.save(BundledRates.pgeEV2A(now: clock.now))
    let service = try await GuidanceService.start(store: store, clock: clock.service, source: source)
    let venues = try await store.venues(after: nil, limit: 100)
    for _ in 0..<35 {
      for venue in venues {
        for action in SuggestedAction.allCases {
          let revision = try #require(service.current(GuidanceSeries(of: venue, action: action)), "\(venue.name)")
          #expect(revision.nextUpdateTime > clock.now)
          #expect(revision.interval.map { $0.end.milliseconds(since: clock.now) > 24 * 3_600_000 } == true)
        }
      }
      clock.advance(seconds: 7 * 3_600 - 60)
      await service.catchUp()
    }
  }
}
