import EnergyModel
import LocalTime

/// What is known of a region's carbon: the time ahead, and what it can be ranked among.
struct CarbonData: Sendable {
  let key: SignalKey
  /// Not filled yet.
  let horizon: Horizon
  /// Of the reference window, ascending.
  private let measured: [SignalPoint]
  private let climatology: HourlyMeans?

  /// The forecast where it is at most 24 h old, else the usual hours at half-way to yesterday's level, else the
  /// region's climatology (docs/rating.md, With little history).
  init(_ input: RatingInput, clock: LocalClock) throws(RatingFailure) {
    guard let key = input.forecast?.key ?? input.measured?.key ?? input.climatology?.key else { throw .noCarbonData }
    guard key.kind != .price else { throw .wrongSignal(.price) }
    // Series of different kinds or models are never mixed; a climatology is of the region and the kind only.
    let points = Self.usable(input.measured, key: key)
    let window = ReferenceWindow.interval(now: input.now, clock: clock)
    let climatology = input.climatology.flatMap { $0.key.kind == key.kind ? HourlyMeans($0) : nil }
    self.key = key
    self.measured = points.filter { window.start <= $0.interval.start && $0.interval.end <= window.end }
    self.climatology = climatology
    if let forecast = input.forecast,
      input.now.milliseconds(since: forecast.issueTime) <= RatingSettings.expiredAge
    {
      horizon = try .given(by: forecast, now: input.now)
    } else if let persistent = Self.persistence(points, now: input.now, clock: clock) {
      horizon = persistent
    } else if let climatology {
      horizon = .typical(climatology, shiftedBy: 0, now: input.now)
    } else {
      throw .noCarbonData
    }
  }

  func reference(clock: LocalClock) -> Reference {
    let lengths = measured.map(\.interval.milliseconds) + horizon.slices.map(\.interval.milliseconds)
    let step = max(1, min(RatingSettings.hour, lengths.max() ?? RatingSettings.hour))
    return Reference(measured: measured, climatology: climatology, horizon: horizon.slices, step: step, clock: clock)
  }

  private static func usable(_ signal: GridSignal?, key: SignalKey) -> [SignalPoint] {
    guard let signal, signal.key == key else { return [] }
    return signal.points.filter { $0.value >= 0 && !$0.interval.isEmpty && $0.quality < .climatology }
  }

  /// No feed at all, but measured values: the same-hour mean of the last seven days, moved half-way to the level of the
  /// last 24 h; `nil` where less than six of the days are known, since values turn out up to a day late.
  private static func persistence(_ points: [SignalPoint], now: Timestamp, clock: LocalClock) -> Horizon? {
    let week = points.within(now.advanced(byMilliseconds: -7 * RatingSettings.day), now)
    guard week.reduce(0, { $0 + $1.interval.milliseconds }) >= RatingSettings.leastReference - RatingSettings.day
    else { return nil }
    let yesterday = week.within(now.advanced(byMilliseconds: -RatingSettings.day), now)
    let shift = yesterday.isEmpty ? 0 : (yesterday.mean - week.mean) / 2
    return .typical(HourlyMeans(week, clock: clock), shiftedBy: shift, now: now)
  }
}

extension [SignalPoint] {
  fileprivate func within(_ start: Timestamp, _ end: Timestamp) -> [SignalPoint] {
    filter { start <= $0.interval.start && $0.interval.end <= end }
  }

  /// Weighted by time; the list must not be empty.
  fileprivate var mean: Double {
    let weight = reduce(0) { $0 + Double($1.interval.milliseconds) }
    return reduce(0) { $0 + $1.value * Double($1.interval.milliseconds) } / weight
  }
}
