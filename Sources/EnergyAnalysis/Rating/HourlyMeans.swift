import EnergyModel
import LocalTime

/// What each hour of the local day usually has.
struct HourlyMeans: Sendable {
  private let clock: LocalClock
  private let means: [Double?]

  /// The time-weighted mean of the points by the local hour that they start in.
  init(_ points: some Sequence<SignalPoint>, clock: LocalClock) {
    self.clock = clock
    self.means = clock.hourlyMeans(of: points)
  }

  /// Returns `nil` where the climatology's zone is unknown.
  init?(_ climatology: Climatology) {
    guard let clock = LocalClock(timeZone: climatology.timeZone) else { return nil }
    self.clock = clock
    self.means = climatology.hourlyMeans
  }

  /// The mean of the local hour that holds `moment`.
  func mean(at moment: Timestamp) -> Double? { means[clock.time(at: moment).hour] }

  /// An interval as pieces of a local hour at most, each with its mean plus `shift`, never below 0; hours without a
  /// mean are left out.
  func slices(
    of interval: Interval, shiftedBy shift: Double = 0, origin: HorizonSlice.Origin
  ) -> [HorizonSlice] {
    interval.pieces(clock.nextHour).compactMap { piece in
      mean(at: piece.start).map {
        HorizonSlice(interval: piece, value: max(0, $0 + shift), quality: .climatology, origin: origin)
      }
    }
  }

  /// The means that are known, each of equal weight.
  var distribution: Distribution { Distribution(means.compactMap { $0.map { (value: $0, weight: 1) } }) }
}
