import EnergyModel
import Testing

@testable import EnergyAnalysis

private let now = utc(2023, 6, 18, 7)
private let key = SignalKey(gridRegion: "CISO", kind: .carbonAverage, model: "m")
private let usual = measured((0..<600).map { Double(100 + $0 % 100) }, until: now, key: key)

private func losAngeles(_ plan: RatePlan, isIncorporated: Bool = true) -> Tariff? {
  Tariff(plan: plan, timeZone: "America/Los_Angeles", isIncorporated: isIncorporated)
}

private func rate(_ tariff: Tariff?, settings: RatingSettings = .standard, hours: Int = 24) throws -> RatedForecast {
  let flat = [Double?](repeating: 149.5, count: hours)
  return try GuidanceComputation.rate(
    input(
      forecast: forecast(flat, from: now, key: key), measured: usual, now: now, tariff: tariff, region: "CISO",
      settings: settings)
  ).get()
}

@Suite struct `A rate plan` {
  @Test func `enters the ratings by its prices`() throws {
    let rated = try rate(losAngeles(plan(summerEV2A)))
    #expect(rated.options == [.locationHasRatePlan, .guidanceIncorporatesRatePlan])
    // C = ½: half of it and half of the price's score.
    #expect(
      rated.slots.map(\.rating) == [Double](repeating: 0.25, count: 15) + [0.573] + [Double](repeating: 0.75, count: 5)
        + [Double](repeating: 0.573, count: 3))
    let content = rated.content
    #expect(content.values.count == 4)
    #expect(content.explanations.map(\.priceUSDPerKWh) == [0.34578, 0.54779, 0.65828, 0.54779])
    #expect(content.explanations.map(\.priceMateriality) == [1, 1, 1, 1])
  }

  /// Prices of .3 and .305 differ too little to tell ratings apart, yet stay apart.
  @Test func `keeps neighbours of different prices apart`() throws {
    let rated = try rate(losAngeles(plan([Double](repeating: 0.3, count: 12) + [Double](repeating: 0.305, count: 12))))
    #expect(rated.content.values.map { $0.interval.milliseconds / hour } == [12, 12])
  }

  @Test func `that is switched off makes no difference`() throws {
    let rated = try rate(losAngeles(plan(summerEV2A), isIncorporated: false))
    let without = try rate(nil)
    #expect(rated.options == [.locationHasRatePlan])
    #expect(without.options == [])
    #expect(rated.content.values == without.content.values)
    #expect(rated.content.values.count == 1)
    #expect(rated.content.explanations.allSatisfy { $0.priceScore == nil })
  }

  @Test func `that is flat has no influence`() throws {
    let rated = try rate(losAngeles(plan([Double](repeating: 0.3, count: 24))))
    #expect(rated.options == [.locationHasRatePlan])
    #expect(rated.content.values == (try rate(nil)).content.values)
    #expect(rated.content.explanations.first?.priceMateriality == 0)
    #expect(rated.content.explanations.first?.priceUSDPerKWh == 0.3)
  }

  @Test func `that has ended has no influence`() throws {
    let rated = try rate(losAngeles(plan(summerEV2A, end: now)))
    #expect(rated.options == [.locationHasRatePlan])
    #expect(rated.content.values == (try rate(nil)).content.values)
  }

  @Test(arguments: [(12, true), (11, false)] as [(Int64, Bool)])
  func `that ends within the horizon is incorporated where it prices half of it`(
    hours: Int64, isIncorporated: Bool
  ) throws {
    let end = now.advanced(byMilliseconds: hours * hour)
    let rated = try rate(losAngeles(plan(summerEV2A, end: end)))
    #expect(rated.options.contains(.guidanceIncorporatesRatePlan) == isIncorporated)
    #expect(rated.slots[Int(hours) - 1].rating == 0.25)
    #expect(rated.slots[Int(hours)].rating == 0.5)
    #expect(rated.slots[Int(hours)].explanation.priceUSDPerKWh == nil)
  }

  @Test func `that starts within an hour is cut at its start`() throws {
    let start = now.advanced(byMilliseconds: 90 * minute)
    let rated = try rate(losAngeles(plan(summerEV2A, start: start)))
    #expect(rated.slots.first { $0.interval.start == start }?.rating == 0.25)
    #expect(rated.slots.first { $0.interval.end == start }?.rating == 0.5)
  }

  @Test func `counts as much as the operator says`() throws {
    let settings = try #require(RatingSettings(carbonWeight: 1, priceWeight: 3, allowsPriceAlone: false))
    #expect(try rate(losAngeles(plan(summerEV2A)), settings: settings).slots[0].rating == 0.125)
    let ignored = try #require(RatingSettings(carbonWeight: 1, priceWeight: 0, allowsPriceAlone: false))
    #expect(try rate(losAngeles(plan(summerEV2A)), settings: ignored).options == [.locationHasRatePlan])
    #expect(RatingSettings(carbonWeight: 0, priceWeight: 0, allowsPriceAlone: false) == nil)
    #expect(RatingSettings(carbonWeight: -1, priceWeight: 2, allowsPriceAlone: false) == nil)
  }

  @Test func `rates alone only where the operator allows it`() throws {
    let settings = try #require(RatingSettings(carbonWeight: 1, priceWeight: 1, allowsPriceAlone: true))
    let lonely = input(
      forecast: nil, measured: nil, now: now, tariff: losAngeles(try plan(summerEV2A)), region: "CISO",
      settings: settings)
    let rated = try GuidanceComputation.rate(lonely).get()
    #expect(rated.content.values.map(\.rating.value) == [0, 0.646, 1, 0.646])
    let forbidden = input(
      forecast: nil, measured: nil, now: now, tariff: losAngeles(try plan(summerEV2A)), region: "CISO")
    #expect(throws: RatingFailure.noCarbonData) { try GuidanceComputation.rate(forbidden).get() }
  }
}

@Suite struct `A price by the wall clock` {
  private let byHour = (0..<24).map { Double($0) / 100 }

  private func prices(from start: Timestamp, hours: Int64) throws -> [Double?] {
    let tariff = try #require(losAngeles(try plan(byHour)))
    return (0..<hours).map { tariff.priceUSDPerKWh(at: start.advanced(byMilliseconds: $0 * hour)) }
  }

  @Test func `skips cell 2 in spring`() throws {
    #expect(try prices(from: utc(2024, 3, 10, 8), hours: 4) == [0, 0.01, 0.03, 0.04])
  }

  @Test func `has cell 1 twice in autumn`() throws {
    #expect(try prices(from: utc(2024, 11, 3, 7), hours: 4) == [0, 0.01, 0.01, 0.02])
  }

  @Test(
    arguments: [
      (utc(2024, 3, 10, 12), 7, 6), (utc(2024, 11, 3, 12), 8, 7), (utc(2024, 7, 1, 12), 7, 7),
    ] as [(Timestamp, Int, Int)])
  func `is compared with 168 hours from today's midnight`(moment: Timestamp, cell1: Int, cell2: Int) throws {
    let week = try #require(losAngeles(try plan(byHour))).weekOfPrices(from: moment)
    #expect(week.count == 168)
    #expect(week.first == 0)
    #expect(week.count { $0 == 0.01 } == cell1)
    #expect(week.count { $0 == 0.02 } == cell2)
  }

  @Test func `tells weekends from weekdays and months from months`() throws {
    let weekday = (1...12).map { [Int](repeating: $0 - 1, count: 24) }
    let weekend = [[Int]](repeating: [Int](repeating: 12, count: 24), count: 12)
    let plan = try #require(
      RatePlan(
        id: "p", name: "", utility: "", periodPricesUSDPerKWh: (1...13).map(Double.init), weekdaySchedule: weekday,
        weekendSchedule: weekend, startTime: nil, endTime: nil))
    let tariff = try #require(losAngeles(plan))
    #expect(tariff.priceUSDPerKWh(at: utc(2023, 6, 16, 7)) == 6)  // Friday
    #expect(tariff.priceUSDPerKWh(at: utc(2023, 6, 17, 7)) == 13)  // Saturday
    #expect(tariff.priceUSDPerKWh(at: utc(2023, 7, 1, 6, 59)) == 6)  // still Friday, 30 June, there
  }

  @Test func `needs a zone that exists`() throws {
    #expect(try Tariff(plan: plan(byHour), timeZone: "Mars/Olympus", isIncorporated: true) == nil)
  }
}
