/// How prices are judged: linearly between the low and the high end of the plan's own week (docs/rating.md, Price
/// score).
struct PriceScale: Sendable {
  /// p05, USD/kWh.
  let low: Double
  /// p95, USD/kWh.
  let high: Double
  /// m_p, 0...1: how much the plan's prices matter; 0 for a flat plan.
  let materiality: Double

  /// - Parameter prices: USD/kWh, one for each hour of the reference.
  init(reference prices: [Double]) {
    let distribution = Distribution(prices.lazy.map { (value: $0, weight: 1) })
    low = distribution.quantile(0.05)
    high = distribution.quantile(0.95)
    let scale = max(0.02, 0.1 * abs(distribution.quantile(0.5)))
    materiality = distribution.isEmpty ? 0 : min(1, (high - low) / scale)
  }

  /// P, 0...1.
  func score(_ price: Double) -> Double {
    guard high > low else { return 0 }
    return min(1, max(0, (price - low) / (high - low)))
  }
}
