import EnergyModel

/// How carbon values are judged: by rank among the reference and, for loads that move, within the horizon
/// (docs/rating.md, Carbon score).
struct CarbonScale: Sendable {
  let action: SuggestedAction
  let reference: Distribution
  let horizon: Distribution
  /// m, 0...1: how much the horizon varies, measured by the reference.
  let materiality: Double

  init(action: SuggestedAction, reference: Distribution, horizon: Distribution) {
    self.action = action
    self.reference = reference
    self.horizon = horizon
    let usual = reference.spread
    materiality = usual > 0 ? min(1, horizon.spread / usual) : horizon.varies ? 1 : 0
  }

  struct Score: Hashable {
    /// C, 0...1.
    let value: Double
    /// F_R, 0...1.
    let referenceRank: Double
    /// F_H, 0...1.
    let horizonRank: Double
  }

  func score(_ carbon: Double) -> Score {
    let referenceRank = reference.midRank(of: carbon)
    let horizonRank = horizon.midRank(of: carbon)
    let beta = RatingSettings.referenceShare
    let value =
      switch action {
      case .reduce: referenceRank
      case .shift: beta * referenceRank + (1 - beta) * (0.5 + materiality * (horizonRank - 0.5))
      }
    return Score(value: value, referenceRank: referenceRank, horizonRank: horizonRank)
  }
}
