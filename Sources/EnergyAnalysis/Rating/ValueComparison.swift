import EnergyModel

/// Compares two lists of intervals with values, moment by moment.
struct ValueComparison {
  private let bounds: Interval

  init(_ bounds: Interval) { self.bounds = bounds }

  /// How long, within the bounds, `differs` says so of what the two lists have; `nil` in their gaps. Both lists ascend
  /// and do not overlap.
  func milliseconds<Value>(
    _ a: [(interval: Interval, value: Value)], _ b: [(interval: Interval, value: Value)],
    where differs: (Value?, Value?) -> Bool
  ) -> Int64 {
    let edges = (a + b).flatMap { [$0.interval.start, $0.interval.end] }.filter { bounds.contains($0) }
    let moments = Set(edges + [bounds.start]).sorted()
    var total: Int64 = 0
    var (inA, inB) = (0, 0)
    for (moment, end) in zip(moments, moments.dropFirst() + [bounds.end]) {
      while inA < a.count, a[inA].interval.end <= moment { inA += 1 }
      while inB < b.count, b[inB].interval.end <= moment { inB += 1 }
      let valueA = inA < a.count && a[inA].interval.contains(moment) ? a[inA].value : nil
      let valueB = inB < b.count && b[inB].interval.contains(moment) ? b[inB].value : nil
      if differs(valueA, valueB) { total += end.milliseconds(since: moment) }
    }
    return total
  }

  func milliseconds(
    _ a: [GuidanceValue], _ b: [GuidanceValue], where differs: (Double?, Double?) -> Bool
  ) -> Int64 {
    let plain = { (values: [GuidanceValue]) in values.map { (interval: $0.interval, value: $0.rating.value) } }
    return milliseconds(plain(a), plain(b), where: differs)
  }
}
