/// A moment in whole milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// Milliseconds are what the contract counts (times are cut to milliseconds first).
package struct Timestamp: Hashable, Comparable, Sendable, Codable {
  package let milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  package init(seconds: Int64) {
    self.milliseconds = seconds &* 1000
  }

  package static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

  /// 0001-01-01T00:00:00Z, the earliest that google.protobuf.Timestamp can hold.
  package static let earliest = Timestamp(seconds: -62_135_596_800)
  /// 9999-12-31T23:59:59.999Z, the latest that google.protobuf.Timestamp can hold.
  package static let latest = Timestamp(milliseconds: 253_402_300_799_999)

  /// The whole second this moment falls in; rounds towards the past.
  package var seconds: Int64 {
    let quotient = milliseconds / 1000
    return milliseconds % 1000 < 0 ? quotient - 1 : quotient
  }

  /// Saturates at the range of `Int64`, so no input can trap it.
  package func advanced(byMilliseconds delta: Int64) -> Timestamp {
    let (sum, overflow) = milliseconds.addingReportingOverflow(delta)
    return Timestamp(milliseconds: overflow ? (delta < 0 ? .min : .max) : sum)
  }

  package func advanced(bySeconds delta: Int64) -> Timestamp {
    let (product, overflow) = delta.multipliedReportingOverflow(by: 1000)
    return advanced(byMilliseconds: overflow ? (delta < 0 ? .min : .max) : product)
  }

  /// Milliseconds from `other` to this moment; saturates.
  package func milliseconds(since other: Timestamp) -> Int64 {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(other.milliseconds)
    return overflow ? (milliseconds < 0 ? .min : .max) : difference
  }

  /// The start of the step of `stepMilliseconds` (> 0, counted from 1970) that holds this moment.
  package func floored(toMultipleOf stepMilliseconds: Int64) -> Timestamp {
    let remainder = milliseconds % stepMilliseconds
    return advanced(byMilliseconds: remainder < 0 ? -(remainder + stepMilliseconds) : -remainder)
  }
}
