import EnergyModel

/// The numbers of the rating method (docs/rating.md); the defaults are the method's own.
package struct RatingSettings: Hashable, Sendable {
  /// w_c; with `priceWeight` 0 or more, not both 0.
  package let carbonWeight: Double
  /// w_p
  package let priceWeight: Double
  /// Whether prices alone may rate a region that has no carbon data (docs/rating.md, Edge cases).
  package let allowsPriceAlone: Bool

  /// Returns `nil` for weights that are negative, not finite or both 0.
  package init?(carbonWeight: Double, priceWeight: Double, allowsPriceAlone: Bool) {
    guard carbonWeight >= 0, priceWeight >= 0, carbonWeight.isFinite, priceWeight.isFinite,
      carbonWeight + priceWeight > 0
    else { return nil }
    self.init(validCarbonWeight: carbonWeight, priceWeight: priceWeight, allowsPriceAlone: allowsPriceAlone)
  }

  package static let standard = RatingSettings(validCarbonWeight: 1, priceWeight: 1, allowsPriceAlone: false)

  private init(validCarbonWeight: Double, priceWeight: Double, allowsPriceAlone: Bool) {
    self.carbonWeight = validCarbonWeight
    self.priceWeight = priceWeight
    self.allowsPriceAlone = allowsPriceAlone
  }

  /// β: how much of a shift score is rank among the reference; the rest is rank within the horizon.
  static let referenceShare = 0.5
  /// ε: neighbours that differ by no more are joined.
  static let mergeThreshold = 0.05
  /// Ratings are compared with this much tolerance, far below their last decimal.
  static let tolerance = 1e-9

  static let minute: Int64 = 60_000
  static let hour: Int64 = 3_600_000
  static let day: Int64 = 24 * hour
  /// Guidance reaches no further.
  static let longestHorizon = 48 * hour
  /// With less there is no guidance.
  static let leastHorizon = 6 * hour
  static let longestInterpolatedGap = hour
  static let longestFilledGap = 6 * hour
  /// Seven days; the week in which spring skips an hour counts too.
  static let leastReference = 7 * day - hour
  static let referenceDays = 28
  static let staleAge = 6 * hour
  static let expiredAge = 24 * hour

  static func leastLength(for action: SuggestedAction) -> Int64 {
    switch action {
    case .shift: 30 * minute
    case .reduce: 15 * minute
    }
  }
}
