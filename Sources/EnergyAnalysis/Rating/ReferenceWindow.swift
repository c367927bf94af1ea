package import EnergyModel
import LocalTime

/// The time whose values a moment is ranked among.
package enum ReferenceWindow {
  /// The trailing 28 local days that end at the last local midnight of the grid region (docs/rating.md, Reference). One
  /// window serves a whole day, so that ratings do not drift within it.
  package static func interval(gridRegion: String, now: Timestamp) -> Interval {
    interval(now: now, clock: clock(gridRegion: gridRegion))
  }

  static func interval(now: Timestamp, clock: LocalClock) -> Interval {
    let end = clock.midnight(before: now)
    let start = clock.midnight(before: now, daysEarlier: RatingSettings.referenceDays)
    return Interval(start: start, milliseconds: end.milliseconds(since: start))
  }

  static func clock(gridRegion: String) -> LocalClock {
    LocalClock(timeZone: GridRegionZone.timeZone(ofRegion: gridRegion)) ?? .utc
  }
}

/// What a moment is ranked among, and how good that is.
struct Reference: Sendable {
  let distribution: Distribution
  let quality: DataQuality
  /// What gaps of the horizon are filled with.
  let usualHours: UsualHours

  /// Reading the clock of thousands of points costs more than all else, so it is done only where there is a gap.
  enum UsualHours: Sendable {
    case none
    case known(HourlyMeans)
    case measured([SignalPoint], LocalClock)

    var means: HourlyMeans? {
      switch self {
      case .none: nil
      case .known(let means): means
      case .measured(let points, let clock): HourlyMeans(points, clock: clock)
      }
    }
  }

  /// Seven days of measured values, else the region's climatology, else the little there is, else the horizon itself
  /// (docs/rating.md, With little history).
  init(
    measured: [SignalPoint], climatology: HourlyMeans?, horizon: [HorizonSlice], step: Int64, clock: LocalClock
  ) {
    let length = measured.reduce(0) { $0 + $1.interval.milliseconds }
    if length >= RatingSettings.leastReference {
      distribution = Distribution(Self.averaged(measured, step: step))
      quality = .measured
      usualHours = .measured(measured, clock)
    } else if let climatology {
      distribution = climatology.distribution
      quality = .climatology
      usualHours = .known(climatology)
    } else if length > 0 {
      distribution = Distribution(Self.averaged(measured, step: step))
      quality = .estimated
      usualHours = .measured(measured, clock)
    } else {
      distribution = Distribution(horizon)
      quality = .estimated
      usualHours = .none
    }
  }

  /// Mixed steps: values of the reference are averaged to the coarser step (docs/rating.md), each weighted by the time
  /// it covers.
  private static func averaged(_ points: [SignalPoint], step: Int64) -> [(value: Double, weight: Double)] {
    guard points.contains(where: { $0.interval.milliseconds != step }) else {
      return points.map { (value: $0.value, weight: Double($0.interval.milliseconds)) }
    }
    var samples: [(value: Double, weight: Double)] = []
    samples.reserveCapacity(points.count)
    var bucketEnd = Timestamp.earliest
    for point in points {
      var cursor = point.interval.start
      while cursor < point.interval.end {
        let isNew = cursor >= bucketEnd
        if isNew { bucketEnd = cursor.floored(toMultipleOf: step).advanced(byMilliseconds: step) }
        let end = min(point.interval.end, bucketEnd)
        let weight = Double(end.milliseconds(since: cursor))
        if isNew {
          samples.append((point.value, weight))
        } else {
          let last = samples[samples.count - 1]
          let total = last.weight + weight
          samples[samples.count - 1] = ((last.value * last.weight + point.value * weight) / total, total)
        }
        cursor = end
      }
    }
    return samples
  }
}
