package import EnergyModel
import LocalTime

/// The time whose values a moment is ranked among.
package enum ReferenceWindow {
  /// The trailing 28 local days that end at the last local midnight of the grid region (domain.md §3.2, DESIGN §5). One
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
  /// For the gaps of the horizon; `nil` where nothing usual is known.
  let hourlyMeans: HourlyMeans?

  /// Seven days of measured values, else the region's climatology, else the little there is, else the horizon itself
  /// (domain.md §3.6, DESIGN §5: a region without climatology rates by what it has, marked as such).
  init(
    measured: [SignalPoint], climatology: HourlyMeans?, horizon: [HorizonSlice], step: Int64, clock: LocalClock
  ) {
    let length = measured.reduce(0) { $0 + $1.interval.milliseconds }
    if length >= RatingSettings.leastReference {
      distribution = Distribution(Self.averaged(measured, step: step))
      quality = .measured
      hourlyMeans = HourlyMeans(measured, clock: clock)
    } else if let climatology {
      distribution = climatology.distribution
      quality = .climatology
      hourlyMeans = climatology
    } else if length > 0 {
      distribution = Distribution(Self.averaged(measured, step: step))
      quality = .estimated
      hourlyMeans = HourlyMeans(measured, clock: clock)
    } else {
      distribution = Distribution(horizon)
      quality = .estimated
      hourlyMeans = nil
    }
  }

  /// Mixed steps: values of the reference are averaged to the coarser step (domain.md §3.4), each weighted by the time
  /// it covers.
  private static func averaged(_ points: [SignalPoint], step: Int64) -> [(value: Double, weight: Double)] {
    guard points.contains(where: { $0.interval.milliseconds != step }) else {
      return points.map { (value: $0.value, weight: Double($0.interval.milliseconds)) }
    }
    var samples: [(value: Double, weight: Double)] = []
    var bucket: Timestamp?
    for point in points {
      for piece in point.interval.pieces({ $0.floored(toMultipleOf: step).advanced(byMilliseconds: step) }) {
        let weight = Double(piece.milliseconds)
        let start = piece.start.floored(toMultipleOf: step)
        if start == bucket, let last = samples.last {
          let total = last.weight + weight
          samples[samples.count - 1] = ((last.value * last.weight + point.value * weight) / total, total)
        } else {
          samples.append((point.value, weight))
          bucket = start
        }
      }
    }
    return samples
  }
}
