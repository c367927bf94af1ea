import EnergyModel
import Foundation
import Testing

@testable import EnergyAnalysis

/// Inputs and outputs that were computed apart from this code, partly from real hours of EIA-930.
private struct RatingVectors: Decodable {
  let vectors: [Vector]

  struct Vector: Decodable, CustomTestStringConvertible {
    let name: String
    let reference: [Double]?
    let horizon: [Double]?
    let m: Double?
    let reduce: [Double]?
    let shift: [Double]?
    let shiftMerged: [[Double]]?
    let price: [Double]?
    let priceReference: [Double]?
    let pLo: Double?
    let pHi: Double?
    let mP: Double?
    let priceScore: [Double]?
    let ratingShift: [Double]?
    let ratingMerged: [[Double]]?
    var testDescription: String { name }

    enum CodingKeys: String, CodingKey {
      case name, reference, horizon, m, reduce, shift, price
      case shiftMerged = "shift_merged_eps_0_05"
      case priceReference = "price_reference"
      case pLo = "p_lo"
      case pHi = "p_hi"
      case mP = "m_p"
      case priceScore = "price_score"
      case ratingShift = "rating_shift"
      case ratingMerged = "rating_merged_eps_0_05"
    }
  }

  static let all: [Vector] = {
    guard let url = Bundle.module.url(forResource: "rating_vectors", withExtension: "json", subdirectory: "Vectors"),
      let data = try? Data(contentsOf: url),
      let decoded = try? JSONDecoder().decode(RatingVectors.self, from: data)
    else { return [] }
    return decoded.vectors
  }()
}

@Suite struct `The rating vectors` {
  /// The moment that 2023-06-18 began at in California.
  let start = utc(2023, 6, 18, 7)

  @Test func `are seven`() {
    #expect(RatingVectors.all.count == 7)
  }

  @Test(arguments: RatingVectors.all.filter { $0.horizon != nil })
  fileprivate func `agree on carbon`(vector: RatingVectors.Vector) throws {
    let reference = Distribution(try #require(vector.reference).map { (value: $0, weight: 1) })
    let values = try #require(vector.horizon)
    let horizon = Distribution(values.map { (value: $0, weight: 1) })
    let shift = CarbonScale(action: .shift, reference: reference, horizon: horizon)
    let reduce = CarbonScale(action: .reduce, reference: reference, horizon: horizon)
    #expect(abs(shift.materiality - (try #require(vector.m))) < 1e-6)
    expectClose(values.map { shift.score($0).value }, try #require(vector.shift), within: 1e-6)
    expectClose(values.map { reduce.score($0).value }, try #require(vector.reduce), within: 1e-6)
  }

  @Test(arguments: RatingVectors.all.filter { $0.price != nil })
  fileprivate func `agree on prices`(vector: RatingVectors.Vector) throws {
    let scale = PriceScale(reference: try #require(vector.priceReference))
    #expect(abs(scale.low - (try #require(vector.pLo))) < 1e-6)
    #expect(abs(scale.high - (try #require(vector.pHi))) < 1e-6)
    #expect(abs(scale.materiality - (try #require(vector.mP))) < 1e-6)
    expectClose(try #require(vector.price).map(scale.score), try #require(vector.priceScore), within: 1e-6)
  }

  /// The vectors were merged from unrounded scores and may differ by a thousandth.
  @Test(arguments: RatingVectors.all.filter { $0.shiftMerged != nil })
  fileprivate func `agree on what is merged`(vector: RatingVectors.Vector) throws {
    let now = utc(2023, 6, 18)  // a region of its operator's own has UTC's day, so the horizon is moved there
    let rated = try GuidanceComputation.rate(
      input(
        forecast: forecast(try #require(vector.horizon), from: now),
        measured: measured(try #require(vector.reference), until: now), now: now)
    ).get()
    expectMerged(rated.content.values, try #require(vector.shiftMerged), from: now)
  }

  @Test(arguments: RatingVectors.all.filter { $0.ratingShift != nil })
  fileprivate func `agree on the ratings of a home in California`(vector: RatingVectors.Vector) throws {
    let key = SignalKey(gridRegion: "CISO", kind: .carbonAverage, model: "m")
    let tariff = Tariff(plan: try plan(summerEV2A), timeZone: "America/Los_Angeles", isIncorporated: true)
    let rated = try GuidanceComputation.rate(
      input(
        forecast: forecast(try #require(vector.horizon), from: start, key: key),
        measured: measured(try #require(vector.reference), until: start, key: key), now: start,
        tariff: tariff, region: "CISO")
    ).get()
    expectClose(rated.slots.map(\.rating), try #require(vector.ratingShift), within: 1e-9)
    expectMerged(rated.content.values, try #require(vector.ratingMerged), from: start)
    #expect(rated.options == [.locationHasRatePlan, .guidanceIncorporatesRatePlan])
  }

  private func expectClose(_ a: [Double], _ b: [Double], within tolerance: Double) {
    #expect(a.count == b.count)
    for (x, y) in zip(a, b) { #expect(abs(x - y) <= tolerance, "\(x) is not \(y)") }
  }

  private func expectMerged(_ values: [GuidanceValue], _ expected: [[Double]], from start: Timestamp) {
    let hours = values.map { value in
      [value.interval.start, value.interval.end].map { Double($0.milliseconds(since: start)) / Double(hour) }
    }
    #expect(hours == expected.map { Array($0.prefix(2)) })
    expectClose(values.map(\.rating.value), expected.map { $0[2] }, within: 0.001 + 1e-9)
  }
}
