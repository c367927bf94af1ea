import EnergyModel
import LocalTime
import Testing

@testable import GridData

@Suite struct `A fuel mix` {
  private func mix(_ rows: [String]) throws -> FuelMix {
    try FuelMix((["period_utc,ba,demand_mwh,COL,GAS,SUN,BAT"] + rows).joined(separator: "\n"), source: "mix.csv")
  }

  @Test func `gives the intensity published with it`() throws {
    let mix = try FuelMix(shippedFile("data/grid/eia930_fuel_mix.csv"), source: "mix")
    #expect(mix.authorities == ["CISO", "ERCO"])
    let published = try CSVTable(shippedFile("data/grid/carbon_intensity.csv"), source: "intensity")
    #expect(published.rows.count == 482)
    var reader = TimestampReader(clock: .utc)
    for region in mix.authorities {
      let derived = mix.carbonIntensity(of: region)
      let rows = published.rows.filter { $0.fields[1] == region }
      #expect(derived.count == rows.count)
      for (point, row) in zip(derived, rows) {
        #expect(point.interval.end == (try reader.read(row.fields[0])))
        #expect(point.interval.milliseconds == hour)
        #expect(abs(point.value - (try #require(Double(row.fields[2])))) < 1e-9, "\(region) \(row.fields[0])")
      }
    }
  }

  @Test func `weighs fuels by what they gave, storage and negative values left out`() throws {
    let points = try mix(["2023-06-10T01,A,9,100,300,-50,500"]).carbonIntensity(of: "A")
    #expect(points.map(\.value) == [617.8])  // (100 · 1001 + 300 · 490) / 400 = 617.75
    #expect(points.map(\.interval.start) == [utc(2023, 6, 10)])
  }

  @Test func `takes unknown fuels as others`() throws {
    let mix = try FuelMix("period_utc,ba,XYZ\n2023-06-10T01,A,7", source: "m")
    #expect(mix.carbonIntensity(of: "A").map(\.value) == [432.6])
  }

  @Test func `of no generation at all is missing`() throws {
    #expect(try mix(["2023-06-10T01,A,9,,,,", "2023-06-10T02,A,9,0,0,-1,"]).carbonIntensity(of: "A") == [])
  }

  /// Without its gas the second hour would look clean.
  @Test func `is missing where a fuel is that gave a twentieth of the day before`() throws {
    let points = try mix([
      "2023-06-10T01,A,9,0,50,50,", "2023-06-10T02,A,9,0,,50,", "2023-06-10T03,A,9,0,50,50,",
    ]).carbonIntensity(of: "A")
    #expect(points.map(\.interval.end) == [utc(2023, 6, 10, 1), utc(2023, 6, 10, 3)])
  }

  @Test func `is not missing for want of a fuel that hardly counts, or that stopped a day ago`() throws {
    #expect(try mix(["2023-06-10T01,A,9,4,50,50,", "2023-06-10T02,A,9,,50,50,"]).carbonIntensity(of: "A").count == 2)
    #expect(try mix(["2023-06-10T01,A,9,40,50,50,", "2023-06-11T02,A,9,,50,50,"]).carbonIntensity(of: "A").count == 2)
    #expect(try mix(["2023-06-10T01,A,9,40,50,50,", "2023-06-11T01,A,9,,50,50,"]).carbonIntensity(of: "A").count == 1)
  }

  @Test func `may repeat an hour only with the same values`() throws {
    #expect(try mix(["2023-06-10T01,A,9,1,2,3,", "2023-06-10T01,A,8,1,2,3,"]).carbonIntensity(of: "A").count == 1)
    let error = #expect(throws: GridDataError.self) {
      try mix(["2023-06-10T01,A,9,1,2,3,", "2023-06-10T01,A,9,1,2,4,"])
    }
    #expect(error?.description == "mix.csv:3: period_utc: is there twice with different values")
  }

  @Test func `says which column is missing or wrong`() {
    let error = #expect(throws: GridDataError.self) { try FuelMix("time,ba\n", source: "m") }
    #expect(error?.description == "m:1: period_utc: no such column; there are time, ba")
    let wrong = #expect(throws: GridDataError.self) { try mix(["2023-06-10T01,A,9,x,2,3,"]) }
    #expect(wrong?.description == "mix.csv:2: COL: is not a number")
  }
}
