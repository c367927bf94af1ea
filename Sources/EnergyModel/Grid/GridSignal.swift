package enum SignalKind: UInt8, Hashable, Sendable, Codable {
  /// gCO2eq/kWh, which equals kg/MWh.
  case carbonAverage = 1
  /// gCO2eq/kWh; never mixed with average (docs/rating.md, Signals).
  case carbonMarginal = 2
  /// USD/kWh inside, USD/MWh on the wire; may be negative.
  case price = 3
}

/// How good a value is; a greater raw value is a worse one.
package enum DataQuality: UInt8, Hashable, Comparable, Sendable, Codable {
  case measured = 1
  case forecast = 2
  /// Interpolated or stale.
  case estimated = 3
  /// Typical values, no feed.
  case climatology = 4

  package static func < (a: DataQuality, b: DataQuality) -> Bool { a.rawValue < b.rawValue }
}

/// One value of a signal and how long it holds.
package struct SignalPoint: Hashable, Sendable, Codable {
  package let interval: Interval
  /// Finite. In the unit of the signal's kind.
  package let value: Double
  package let quality: DataQuality

  /// Returns `nil` for values that are not finite.
  package init?(interval: Interval, value: Double, quality: DataQuality) {
    guard value.isFinite else { return nil }
    self.interval = interval
    self.value = value
    self.quality = quality
  }
}

/// Names one series of values. Series of different models are never mixed (docs/rating.md, Signals).
package struct SignalKey: Hashable, Sendable, Codable {
  /// Grid region code, for example `CISO`.
  package let gridRegion: String
  package let kind: SignalKind
  /// The source and its version, for example `eia930-lifecycle-2023`.
  package let model: String

  package init(gridRegion: String, kind: SignalKind, model: String) {
    self.gridRegion = gridRegion
    self.kind = kind
    self.model = model
  }
}

/// One publication of a signal: a forecast run, or values as they turned out.
package struct GridSignal: Hashable, Sendable, Codable {
  package let key: SignalKey
  /// Past values as they turned out; otherwise a forecast.
  package let isMeasured: Bool
  package let issueTime: Timestamp
  /// Ascending, no overlaps; gaps allowed.
  package let points: [SignalPoint]

  package init(key: SignalKey, isMeasured: Bool, issueTime: Timestamp, points: [SignalPoint]) {
    self.key = key
    self.isMeasured = isMeasured
    self.issueTime = issueTime
    self.points = points
  }
}
