/// A half-open span of time, start <= t < end (common.proto `TimeInterval`).
package struct Interval: Hashable, Sendable, Codable {
  package let start: Timestamp
  package let end: Timestamp

  /// Returns `nil` where `end` lies before `start`.
  package init?(start: Timestamp, end: Timestamp) {
    guard start <= end else { return nil }
    self.start = start
    self.end = end
  }

  /// The span of `milliseconds` (negative counts as none) from `start` on.
  package init(start: Timestamp, milliseconds: Int64) {
    self.start = start
    self.end = start.advanced(byMilliseconds: max(0, milliseconds))
  }

  package var milliseconds: Int64 { end.milliseconds(since: start) }
  package var isEmpty: Bool { start == end }

  package func contains(_ moment: Timestamp) -> Bool { start <= moment && moment < end }

  /// The common part, `nil` where the two do not overlap.
  package func intersection(_ other: Interval) -> Interval? {
    let from = max(start, other.start)
    let to = min(end, other.end)
    return from < to ? Interval(start: from, end: to) : nil
  }
}
