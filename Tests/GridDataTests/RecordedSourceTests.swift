import EnergyAnalysis
import EnergyModel
import Testing

@testable import GridData

@Suite struct `The recording` {
  private func snapshot(_ region: String, _ now: Timestamp) throws -> GridSnapshot {
    try #require(try RecordedSource().snapshot(gridRegion: region, at: now))
  }

  @Test func `is the shipped data, byte for byte`() throws {
    #expect(try bundledFuelMix == shippedFile("data/grid/eia930_fuel_mix.csv"))
    #expect(try bundledPGEEV2A == shippedFile("data/rates/pge_ev2a.json"))
  }

  @Test func `has California and Texas, and nothing else`() throws {
    let source = try RecordedSource()
    #expect(source.gridRegions == ["CISO", "ERCO"])
    #expect(source.snapshot(gridRegion: "PJM", at: utc(2026, 1, 1)) == nil)
  }

  /// The row stamped 2023-06-10T01 is the hour that begins at 00:00.
  @Test(
    arguments: [
      (utc(2023, 6, 10), 147.6), (utc(2023, 6, 9, 23), nil), (utc(2023, 6, 20), 147.6), (utc(2023, 6, 10, 6), 200.5),
      (utc(2023, 5, 31), 147.6), (utc(2026, 11, 30, 0), 147.6),
    ] as [(Timestamp, Double?)])
  func `repeats every 240 hours from 2023-06-10 on`(now: Timestamp, value: Double?) throws {
    let forecast = try #require(try snapshot("CISO", now).forecast)
    let elapsed = now.milliseconds(since: utc(2023, 6, 10)) / hour
    let position = ((elapsed % 240) + 240) % 240
    let published = try CSVTable(shippedFile("data/grid/carbon_intensity.csv"), source: "i").rows
      .filter { $0.fields[1] == "CISO" }.compactMap { Double($0.fields[2]) }
    #expect(forecast.points.first?.value == published[Int(position) + 1])
    if let value, position == 0 || now == utc(2023, 6, 10, 6) { #expect(forecast.points.first?.value == value) }
  }

  @Test func `forecasts 48 hours from the present one and remembers 29 days`() throws {
    let now = utc(2026, 11, 30, 17, 42)
    let snapshot = try snapshot("ERCO", now)
    let forecast = try #require(snapshot.forecast)
    let measured = try #require(snapshot.measured)
    #expect(forecast.points.count == 48)
    #expect(forecast.points.first?.interval.start == utc(2026, 11, 30, 17))
    #expect(forecast.points.allSatisfy { $0.quality == .forecast })
    #expect(forecast.issueTime == utc(2026, 11, 30, 17))
    #expect(measured.points.last?.interval.end == utc(2026, 11, 30, 17))
    #expect(measured.points.count == 29 * 24 + 1)
    #expect(measured.points.allSatisfy { $0.quality == .measured })
    #expect(snapshot.nextRunTime == utc(2026, 11, 30, 18))
    #expect(forecast.key == measured.key)
  }

  @Test func `leaves missing hours missing`() throws {
    let rows = (0...240).map { index -> String in
      let end = utc(2023, 6, 10).advanced(byMilliseconds: Int64(index) * hour)
      let day = 10 + index / 24
      #expect(end == utc(2023, 6, day, index % 24))
      let hourText = index % 24 < 10 ? "0\(index % 24)" : "\(index % 24)"
      return "2023-06-\(day)T\(hourText),X,\((30...41).contains(index) ? "" : "5")"
    }
    let source = RecordedSource(try FuelMix("period_utc,ba,GAS\n" + rows.joined(separator: "\n"), source: "m"))
    let snapshot = try #require(source.snapshot(gridRegion: "X", at: utc(2024, 6, 4)))  // 360 days on
    #expect(snapshot.forecast?.points.count == 36)
    #expect(snapshot.forecast?.points.contains { $0.interval.start == utc(2024, 6, 5, 4) } == true)
    #expect(snapshot.forecast?.points.contains { $0.interval.start == utc(2024, 6, 5, 5) } == false)
  }

  @Test func `tells what was measured in whole hours`() throws {
    let source = try RecordedSource()
    let key = SignalKey(gridRegion: "CISO", kind: .carbonAverage, model: RecordedSource.model)
    let measured = source.measured(key, since: utc(2023, 6, 9, 23, 30), until: utc(2023, 6, 10, 2, 30))
    #expect(measured?.points.map(\.interval.start) == [utc(2023, 6, 10), utc(2023, 6, 10, 1)])
    #expect(measured?.points.map(\.value) == [147.6, 171.8])
    #expect(source.measured(key, since: utc(2023, 6, 10), until: utc(2023, 6, 10)) == nil)
    #expect(source.measured(key, since: .earliest, until: .latest) == nil)
    let other = SignalKey(gridRegion: "CISO", kind: .carbonAverage, model: "other")
    #expect(source.measured(other, since: utc(2023, 6, 10), until: utc(2023, 6, 11)) == nil)
  }

  @Test func `has a climatology of each local hour`() throws {
    let climatology = try #require(try RecordedSource().climatology(gridRegion: "CISO"))
    #expect(climatology.timeZone == "America/Los_Angeles")
    #expect(climatology.hourlyMeans.allSatisfy { $0 != nil })
    // The sun is cleaner than the evening.
    #expect((climatology.hourlyMeans[13] ?? 0) < (climatology.hourlyMeans[20] ?? 0))
  }

  @Test(arguments: ["CISO", "ERCO"])
  func `makes guidance at any hour`(region: String) throws {
    let source = try RecordedSource()
    for index in stride(from: 0, to: 240, by: 7) as StrideTo<Int64> {
      let now = utc(2026, 11, 30).advanced(byMilliseconds: index * hour + 1234)
      let snapshot = try #require(source.snapshot(gridRegion: region, at: now))
      for action in SuggestedAction.allCases {
        let rated = try GuidanceComputation.rate(
          RatingInput(
            gridRegion: region, action: action, now: now, forecast: snapshot.forecast, measured: snapshot.measured,
            climatology: snapshot.climatology, tariff: nil, nextRunTime: snapshot.nextRunTime)
        ).get()
        let content = rated.content
        #expect(content.values.first?.interval.start == now.floored(toMultipleOf: hour))
        #expect(content.values.last?.interval.end.milliseconds(since: now.floored(toMultipleOf: hour)) == 48 * hour)
        #expect(content.explanations.allSatisfy { $0.quality == .forecast })
        #expect(content.nextUpdateTime == now.floored(toMultipleOf: hour).advanced(byMilliseconds: hour))
      }
    }
  }
}
