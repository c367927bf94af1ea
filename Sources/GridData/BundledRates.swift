package import EnergyModel

/// The rate plans that the program carries (data/rates).
package enum BundledRates {
  /// PG&E EV2-A, transcribed: peak 16-21 h every day, part-peak 15-16 and 21-24 h, in force since 2024 without an end.
  package static func pgeEV2A(now: Timestamp) throws(GridDataError) -> RatePlan {
    let source = "data/rates/pge_ev2a.json"
    guard let rate = try URDBReader.read(bundledPGEEV2A, source: source, id: "pge-ev2a", now: now).first else {
      throw GridDataError(source, "holds no rate")
    }
    return rate.plan
  }
}
