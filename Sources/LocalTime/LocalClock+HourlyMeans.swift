package import EnergyModel

extension LocalClock {
  /// The time-weighted mean of the points by the local hour that they start in: 24 of them, `nil` for hours in which
  /// none starts.
  package func hourlyMeans(of points: some Sequence<SignalPoint>) -> [Double?] {
    var sums = [Double](repeating: 0, count: 24)
    var weights = [Double](repeating: 0, count: 24)
    for point in points {
      let hour = time(at: point.interval.start).hour
      let weight = Double(point.interval.milliseconds)
      sums[hour] += point.value * weight
      weights[hour] += weight
    }
    return zip(sums, weights).map { $1 > 0 ? $0 / $1 : nil }
  }
}
