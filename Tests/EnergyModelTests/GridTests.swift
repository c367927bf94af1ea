import EnergyModel
import Testing

@Suite struct `A rate plan` {
  private func make(
    prices: [Double] = [0.1, 0.3], weekday: [[Int]]? = nil, weekend: [[Int]]? = nil
  ) -> RatePlan? {
    let table = [[Int]](repeating: [Int](repeating: 0, count: 16) + [Int](repeating: 1, count: 8), count: 12)
    return RatePlan(
      id: "p", name: "P", utility: "U", periodPricesUSDPerKWh: prices, weekdaySchedule: weekday ?? table,
      weekendSchedule: weekend ?? [[Int]](repeating: [Int](repeating: 0, count: 24), count: 12), startTime: nil,
      endTime: nil)
  }

  @Test func `has a price for each hour of each month and kind of day`() throws {
    let plan = try #require(make())
    #expect(plan.priceUSDPerKWh(month: 1, hour: 15, isWeekend: false) == 0.1)
    #expect(plan.priceUSDPerKWh(month: 12, hour: 16, isWeekend: false) == 0.3)
    #expect(plan.priceUSDPerKWh(month: 12, hour: 16, isWeekend: true) == 0.1)
  }

  @Test(arguments: [(0, 0), (13, 0), (1, -1), (1, 24), (.min, 0), (1, .max)])
  func `has none outside the year or the day`(month: Int, hour: Int) {
    #expect(make()?.priceUSDPerKWh(month: month, hour: hour, isWeekend: false) == nil)
  }

  @Test func `is refused unless its tables are 12 by 24, its indices name a price and its prices are finite`() {
    let row = [Int](repeating: 0, count: 24)
    #expect(make(prices: []) == nil)
    #expect(make(prices: [0.1]) == nil)
    #expect(make(prices: [0.1, .nan]) == nil)
    #expect(make(prices: [0.1, .infinity]) == nil)
    #expect(make(prices: [-0.1, 0]) != nil)
    #expect(make(weekday: [[Int]](repeating: row, count: 11)) == nil)
    #expect(make(weekend: [[Int]](repeating: row, count: 13)) == nil)
    #expect(make(weekday: [[Int]](repeating: [0], count: 12)) == nil)
    #expect(make(weekend: [[Int]](repeating: [-1] + row.dropFirst(), count: 12)) == nil)
  }
}

@Suite struct `A signal point` {
  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `is finite`(value: Double) {
    let interval = Interval(start: Timestamp(seconds: 0), milliseconds: 1)
    #expect(SignalPoint(interval: interval, value: value, quality: .measured) == nil)
    #expect(SignalPoint(interval: interval, value: -3, quality: .measured)?.value == -3)
  }
}

@Suite struct `A climatology` {
  private let key = SignalKey(gridRegion: "R", kind: .carbonAverage, model: "m")

  @Test func `has 24 hours, some of them known`() {
    #expect(Climatology(key: key, timeZone: "UTC", hourlyMeans: [Double?](repeating: 1, count: 24)) != nil)
    #expect(Climatology(key: key, timeZone: "UTC", hourlyMeans: [Double?](repeating: 1, count: 23)) == nil)
    #expect(Climatology(key: key, timeZone: "UTC", hourlyMeans: [Double?](repeating: nil, count: 24)) == nil)
    #expect(Climatology(key: key, timeZone: "UTC", hourlyMeans: [.nan] + [Double?](repeating: 1, count: 23)) == nil)
  }
}

@Suite struct `A grid region` {
  @Test(arguments: [
    ("CISO", "America/Los_Angeles"), ("ERCO", "America/Chicago"), ("PJM", "America/New_York"),
    ("AZPS", "America/Phoenix"), ("PSCO", "America/Denver"), ("HECO", "Pacific/Honolulu"), ("MISO", "America/Chicago"),
  ])
  func `begins its day in its own zone`(code: String, zone: String) {
    #expect(GridRegionZone.timeZone(ofRegion: code) == zone)
  }

  @Test(arguments: ["", "MY-GRID", "ciso", "CISO "])
  func `of an operator's own begins it in UTC`(code: String) {
    #expect(GridRegionZone.timeZone(ofRegion: code) == "UTC")
  }
}
