/// What a home pays for energy, by local month, kind of day and hour (as OpenEI's Utility Rate Database has it).
package struct RatePlan: Hashable, Sendable, Codable {
  /// The operator's, for example `pge-ev2a`.
  package let id: String
  package let name: String
  package let utility: String
  /// USD/kWh of each period: rate plus adjustment of the first tier. Finite.
  package let periodPricesUSDPerKWh: [Double]
  /// 12 x 24 indices into the prices: month 0 is January, hour 0 is 00:00-01:00 local time.
  package let weekdaySchedule: [[Int]]
  package let weekendSchedule: [[Int]]
  /// When the rate begins and ceases to apply, where it says so.
  package let startTime: Timestamp?
  package let endTime: Timestamp?

  /// Returns `nil` unless both tables are 12 x 24, all indices name a price and all prices are finite.
  package init?(
    id: String, name: String, utility: String, periodPricesUSDPerKWh: [Double], weekdaySchedule: [[Int]],
    weekendSchedule: [[Int]], startTime: Timestamp?, endTime: Timestamp?
  ) {
    let tables = [weekdaySchedule, weekendSchedule]
    guard periodPricesUSDPerKWh.allSatisfy(\.isFinite),
      tables.allSatisfy({ $0.count == 12 && $0.allSatisfy { $0.count == 24 } }),
      tables.joined().joined().allSatisfy(periodPricesUSDPerKWh.indices.contains)
    else { return nil }
    self.id = id
    self.name = name
    self.utility = utility
    self.periodPricesUSDPerKWh = periodPricesUSDPerKWh
    self.weekdaySchedule = weekdaySchedule
    self.weekendSchedule = weekendSchedule
    self.startTime = startTime
    self.endTime = endTime
  }

  /// USD/kWh in a local hour. `month` 1...12, `hour` 0...23; `nil` outside these.
  package func priceUSDPerKWh(month: Int, hour: Int, isWeekend: Bool) -> Double? {
    let schedule = isWeekend ? weekendSchedule : weekdaySchedule
    guard (1...12).contains(month), schedule.indices.contains(month - 1), schedule[month - 1].indices.contains(hour)
    else { return nil }
    let period = schedule[month - 1][hour]
    return periodPricesUSDPerKWh.indices.contains(period) ? periodPricesUSDPerKWh[period] : nil
  }
}
