/// Instantaneous power in whole milliwatts, as on the wire (Apple: `ElectricalMeasurement`). Never negative: the
/// direction carries the sign.
package struct Power: Hashable, Comparable, Sendable {
  package let milliwatts: Int64

  /// Below 10^12 mW, 1 GW.
  package static let limitMilliwatts: Int64 = 1_000_000_000_000

  /// Returns `nil` outside 0..<10^12 mW.
  package init?(milliwatts: Int64) {
    guard (0..<Self.limitMilliwatts).contains(milliwatts) else { return nil }
    self.milliwatts = milliwatts
  }

  package static let zero = Power(unchecked: 0)
  private init(unchecked milliwatts: Int64) { self.milliwatts = milliwatts }

  package static func < (a: Power, b: Power) -> Bool { a.milliwatts < b.milliwatts }
}
