import EnergyModel

/// A sample of values, each with the time it stood for.
struct Distribution: Sendable {
  /// Ascending, without repeats.
  private let values: [Double]
  /// At each position the weight of all values up to and including it.
  private let cumulativeWeights: [Double]
  /// The weight that counts as one observation: the least one given.
  private let unit: Double
  /// Values that lie no further apart are equal: far less than any source tells apart, far more than arithmetic loses,
  /// so that ranks are the same in pounds and in kilograms.
  private let tolerance: Double

  /// - Parameter samples: In any order. Weights that are not positive, and values that are not finite, are left out.
  init(_ samples: some Sequence<(value: Double, weight: Double)>) {
    var values: [Double] = []
    var cumulative: [Double] = []
    var unit = Double.infinity
    var total = 0.0
    let usable = samples.filter { $0.value.isFinite && $0.weight > 0 && $0.weight.isFinite }
    tolerance = (usable.map { abs($0.value) }.max() ?? 0) * 1e-11
    for sample in usable.sorted(by: { $0.value < $1.value }) {
      total += sample.weight
      unit = min(unit, sample.weight)
      if let last = values.last, sample.value - last <= tolerance {
        cumulative[cumulative.count - 1] = total
      } else {
        values.append(sample.value)
        cumulative.append(total)
      }
    }
    self.values = values
    self.cumulativeWeights = cumulative
    self.unit = unit
  }

  init(_ slices: some Sequence<HorizonSlice>) {
    self.init(slices.lazy.map { (value: $0.value, weight: Double($0.interval.milliseconds)) })
  }

  var isEmpty: Bool { values.isEmpty }

  /// Whether there is more than one value.
  var varies: Bool { values.count > 1 }

  /// The mid-rank percentile F(x) = (|{s < x}| + ½|{s = x}|) / |S|, by weight (docs/rating.md); ½ of nothing.
  func midRank(of value: Double) -> Double {
    guard let total = cumulativeWeights.last else { return 0.5 }
    let position = lowerBound(value - tolerance)
    let below = position == 0 ? 0 : cumulativeWeights[position - 1]
    guard position < values.count, values[position] <= value + tolerance else { return below / total }
    return (below + cumulativeWeights[position]) / 2 / total
  }

  /// The quantile by linear interpolation at position k = (n - 1)p, 0 <= p <= 1; 0 of nothing.
  ///
  /// A value of a weight of several units stands at as many positions.
  func quantile(_ p: Double) -> Double {
    guard let total = cumulativeWeights.last else { return 0 }
    let position = max(0, total / unit - 1) * p
    // The first value whose positions, the last being `cumulative / unit - 1`, do not all lie before `position`.
    let index = cumulativeWeights.firstIndex { $0 / unit - 1 >= position - 1e-9 } ?? values.count - 1
    guard index > 0 else { return values[index] }
    let fraction = position - (cumulativeWeights[index - 1] / unit - 1)
    return values[index - 1] + min(1, max(0, fraction)) * (values[index] - values[index - 1])
  }

  /// q90 - q10: how much the values vary, without the extremes.
  var spread: Double { quantile(0.9) - quantile(0.1) }

  /// The position of the first value that is not below `value`.
  private func lowerBound(_ value: Double) -> Int {
    var low = 0
    var high = values.count
    while low < high {
      let middle = (low + high) / 2
      if values[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
