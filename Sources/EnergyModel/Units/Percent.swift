/// A whole percentage, 0...100: a state of charge or an HVAC stage (Apple: `ElectricalMeasurement`).
package struct Percent: Hashable, Comparable, Sendable {
  package let value: UInt8

  /// Returns `nil` outside 0...100.
  package init?(_ value: Int32) {
    guard (0...100).contains(value) else { return nil }
    self.value = UInt8(value)
  }

  package static let zero = Percent(unchecked: 0)
  private init(unchecked value: UInt8) { self.value = value }

  package static func < (a: Percent, b: Percent) -> Bool { a.value < b.value }
}
