package import EnergyModel
import LocalTime

/// A rate plan on the wall clock of the home that pays by it.
package struct Tariff: Sendable {
  package let plan: RatePlan
  /// Whether the plan may enter the ratings, as the venue's settings say.
  package let isIncorporated: Bool
  private let clock: LocalClock

  /// Returns `nil` where `timeZone` is not a name of the IANA database.
  package init?(plan: RatePlan, timeZone: String, isIncorporated: Bool) {
    guard let clock = LocalClock(timeZone: timeZone) else { return nil }
    self.plan = plan
    self.isIncorporated = isIncorporated
    self.clock = clock
  }

  /// USD/kWh at a moment; `nil` before the plan starts and from its end on.
  package func priceUSDPerKWh(at moment: Timestamp) -> Double? {
    if let start = plan.startTime, moment < start { return nil }
    if let end = plan.endTime, moment >= end { return nil }
    return tablePrice(at: moment)
  }

  /// The next moment after `moment` at which the price may change.
  func nextEdge(after moment: Timestamp) -> Timestamp {
    let edges = [plan.startTime, plan.endTime].compactMap(\.self).filter { $0 > moment }
    return edges.reduce(clock.nextHour(after: moment), min)
  }

  /// The prices of the plan's own 168 hours from today's local midnight on (docs/rating.md, Price score), whether or
  /// not the plan is in force in all of them: on the day that spring shortens cell 2 is not among them, on the one that
  /// autumn lengthens cell 1 is twice.
  func weekOfPrices(from now: Timestamp) -> [Double] {
    let midnight = clock.midnight(before: now)
    return (0..<168).compactMap { tablePrice(at: midnight.advanced(bySeconds: $0 * 3600)) }
  }

  private func tablePrice(at moment: Timestamp) -> Double? {
    let local = clock.time(at: moment)
    return plan.priceUSDPerKWh(month: local.date.month, hour: local.hour, isWeekend: local.date.isWeekend)
  }
}
