/// Energy in whole milliwatt-hours, as on the wire (Apple: `ElectricalMeasurement`). Never negative: the direction
/// carries the sign.
package struct Energy: Hashable, Comparable, Sendable {
  package let milliwattHours: Int64

  /// Below 10^15 mWh, 1 TWh.
  package static let limitMilliwattHours: Int64 = 1_000_000_000_000_000

  /// Returns `nil` outside 0..<10^15 mWh.
  package init?(milliwattHours: Int64) {
    guard (0..<Self.limitMilliwattHours).contains(milliwattHours) else { return nil }
    self.milliwattHours = milliwattHours
  }

  package static let zero = Energy(unchecked: 0)
  private init(unchecked milliwattHours: Int64) { self.milliwattHours = milliwattHours }

  package static func < (a: Energy, b: Energy) -> Bool { a.milliwattHours < b.milliwattHours }
}
