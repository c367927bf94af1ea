import EnergyModel
import LocalTime

/// The time ahead that is rated, as slices with a carbon value each: ascending, no overlaps, holes only where nothing
/// is known.
struct Horizon: Sendable {
  let slices: [HorizonSlice]

  /// What the source gave, from the present interval on.
  ///
  /// Points that overlap an earlier one, and negative carbon values, are dropped: the latter are refused, not clamped
  /// (docs/rating.md, Edge cases). What lies more than 48 h ahead is cut off.
  static func given(by forecast: GridSignal, now: Timestamp) throws(RatingFailure) -> Horizon {
    guard forecast.key.kind != .price else { throw .wrongSignal(.price) }
    let isStale = now.milliseconds(since: forecast.issueTime) > RatingSettings.staleAge
    var slices: [HorizonSlice] = []
    var covered = Timestamp.earliest
    for point in forecast.points.sorted(by: { $0.interval.start < $1.interval.start }) {
      guard point.value >= 0, point.interval.start >= covered, !point.interval.isEmpty else { continue }
      covered = point.interval.end
      guard point.interval.end > now else { continue }
      let quality = isStale ? max(point.quality, .estimated) : point.quality
      slices.append(
        HorizonSlice(interval: point.interval, value: point.value, quality: quality, origin: .given))
    }
    guard let first = slices.first, let last = slices.last else { throw .noCarbonData }
    let start = presentStart(first: first.interval, now: now)
    let whole = Interval(
      start: start, milliseconds: min(last.interval.end.milliseconds(since: start), RatingSettings.longestHorizon))
    return Horizon(slices: slices.compactMap { $0.clipped(to: whole) }, from: start)
  }

  /// What the hours usually have, from the present hour on, for 48 h.
  static func typical(_ means: HourlyMeans, shiftedBy shift: Double, now: Timestamp) -> Horizon {
    let start = now.floored(toMultipleOf: RatingSettings.hour)
    let whole = Interval(start: start, milliseconds: RatingSettings.longestHorizon)
    return Horizon(slices: means.slices(of: whole, shiftedBy: shift, origin: .given), from: start)
  }

  /// Where the present interval starts: with the first point, or, where that is still to come, with the step of its
  /// length that holds `now`. Never more than an hour back.
  private static func presentStart(first: Interval, now: Timestamp) -> Timestamp {
    if first.start <= now { return max(first.start, now.floored(toMultipleOf: RatingSettings.hour)) }
    return now.floored(toMultipleOf: max(1, min(first.milliseconds, RatingSettings.hour)))
  }

  private let start: Timestamp

  private init(slices: [HorizonSlice], from start: Timestamp) {
    self.slices = slices
    self.start = start
  }

  /// Fills what the source left out: up to an hour between two values by interpolation, up to six by what the hour
  /// usually has; longer gaps stay (docs/rating.md, Gaps).
  ///
  /// - Throws: Where less than six hours are given or interpolated, or more than half is not given.
  func filled(with usual: Reference.UsualHours) throws(RatingFailure) -> Horizon {
    guard let end = slices.last?.interval.end else { throw .noCarbonData }
    let given = slices.reduce(0) { $0 + $1.interval.milliseconds }
    let length = end.milliseconds(since: start)
    guard given * 2 >= length else { throw .tooManyGaps(missingShare: 1 - Double(given) / Double(length)) }
    var result: [HorizonSlice] = []
    for slice in slices {
      let gap = Interval(start: result.last?.interval.end ?? start, end: slice.interval.start)
      if let gap, !gap.isEmpty {
        result += Self.fill(gap, between: result.last, and: slice, usual: usual)
      }
      result.append(slice)
    }
    let usable = result.filter { $0.origin != .typical }.reduce(0) { $0 + $1.interval.milliseconds }
    guard usable >= RatingSettings.leastHorizon else { throw .horizonTooShort(usableMilliseconds: usable) }
    return Horizon(slices: result, from: start)
  }

  private static func fill(
    _ gap: Interval, between left: HorizonSlice?, and right: HorizonSlice, usual: Reference.UsualHours
  ) -> [HorizonSlice] {
    if let left, gap.milliseconds <= RatingSettings.longestInterpolatedGap {
      return interpolate(gap, between: left, and: right)
    }
    guard gap.milliseconds <= RatingSettings.longestFilledGap, let means = usual.means else { return [] }
    return means.slices(of: gap, origin: .typical)
  }

  /// Steps of the left slice's length, each with the value on the straight line between the middles of both slices.
  private static func interpolate(
    _ gap: Interval, between left: HorizonSlice, and right: HorizonSlice
  ) -> [HorizonSlice] {
    let step = max(RatingSettings.minute, left.interval.milliseconds)
    let from = left.interval.middle
    let slope = (right.value - left.value) / (right.interval.middle - from)
    return gap.pieces { $0.advanced(byMilliseconds: step) }.map { piece in
      HorizonSlice(
        interval: piece, value: left.value + slope * (piece.middle - from),
        quality: max(.estimated, left.quality, right.quality), origin: .interpolated)
    }
  }

  /// The values that later ones are ranked among: what the source gave, and what lies between.
  var distribution: Distribution { Distribution(slices.filter { $0.origin != .typical }) }
}

extension Interval {
  /// Milliseconds since 1970.
  fileprivate var middle: Double { (Double(start.milliseconds) + Double(end.milliseconds)) / 2 }
}
