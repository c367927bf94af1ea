import EnergyModel
import Testing

@testable import EnergyAnalysis

/// The table of edge cases of the rating method, with its numbers.
@Suite struct `An edge case of the rating` {
  private let hundred = (100..<200).map(Double.init)

  private func scores(_ action: SuggestedAction, _ horizon: [Double], among reference: [Double]) -> [Double] {
    scale(action, horizon, among: reference).scores
  }

  private func scale(
    _ action: SuggestedAction, _ horizon: [Double], among reference: [Double]
  ) -> (materiality: Double, scores: [Double]) {
    let scale = CarbonScale(
      action: action, reference: Distribution(reference.map { (value: $0, weight: 1) }),
      horizon: Distribution(horizon.map { (value: $0, weight: 1) }))
    return (scale.materiality, horizon.map { scale.score($0).value })
  }

  private func expect(_ a: [Double], _ b: [Double], within tolerance: Double = 0.0005 + 1e-12) {
    #expect(a.count == b.count)
    for (x, y) in zip(a, b) { #expect(abs(x - y) <= tolerance, "\(x) is not \(y)") }
  }

  @Test func `a flat horizon at the reference's median is in the middle`() {
    let reference = [1.0, 2, 3, 4, 5]
    expect(scores(.reduce, [3, 3, 3], among: reference), [0.5, 0.5, 0.5])
    expect(scores(.shift, [3, 3, 3], among: reference), [0.5, 0.5, 0.5])
  }

  @Test func `a flat horizon of a dirty day is dirty throughout`() {
    let flat = [Double](repeating: 195, count: 24)
    #expect(scale(.shift, flat, among: hundred).materiality == 0)
    expect(scores(.reduce, flat, among: hundred), [Double](repeating: 0.955, count: 24))
    expect(scores(.shift, flat, among: hundred), [Double](repeating: 0.7275, count: 24))
  }

  @Test func `a horizon above the whole reference is still ordered`() {
    let horizon = (300..<324).map(Double.init)
    let shift = scale(.shift, horizon, among: hundred)
    #expect(abs(shift.materiality - 0.232) < 0.0005)
    expect([shift.scores[0], shift.scores[23]], [0.694, 0.806])
    #expect(zip(shift.scores, shift.scores.dropFirst()).allSatisfy { $0 < $1 })
    expect(scores(.reduce, horizon, among: hundred), [Double](repeating: 1, count: 24))
  }

  @Test func `a reference without spread makes any variation matter`() {
    let reference = [Double](repeating: 5, count: 10)
    #expect(scale(.shift, [5, 5, 5, 7], among: reference).materiality == 1)
    expect(scores(.shift, [5, 5, 5, 7], among: reference), [0.438, 0.438, 0.438, 0.938])
    expect(scores(.reduce, [5, 5, 5, 7], among: reference), [0.5, 0.5, 0.5, 1])
    #expect(scale(.shift, [5, 5], among: reference).materiality == 0)
  }

  @Test func `equal values have equal ratings`() {
    let shift = scores(.shift, [110, 150, 110, 150], among: hundred)
    #expect(shift[0] == shift[2])
    #expect(shift[1] == shift[3])
  }

  @Test func `a single interval is ranked among the reference by half`() {
    let one = scale(.shift, [150], among: hundred)
    #expect(one.materiality == 0)
    expect(one.scores, [0.505 / 2 + 0.25], within: 1e-12)
  }

  @Test func `negative prices are never better than free`() {
    let scale = PriceScale(reference: [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1])
    expect([0.021, 0.0145, 0, -0.015, -5].map(scale.score), [0.08, 0, 0, 0, 0])
    #expect(scale.score(99) == 1)
  }

  @Test func `a flat plan does not matter`() {
    let scale = PriceScale(reference: [Double](repeating: 0.3, count: 168))
    #expect(scale.materiality == 0)
    #expect(scale.score(0.3) == 0)
  }

  @Test func `a plan of half a cent's difference counts one sixth`() {
    let prices = [Double](repeating: 0.3, count: 84) + [Double](repeating: 0.305, count: 84)
    #expect(abs(PriceScale(reference: prices).materiality - 0.165) < 0.0005)
  }

  @Test func `six hours are enough`() throws {
    let now = utc(2023, 6, 18)
    let rated = try GuidanceComputation.rate(
      input(
        forecast: forecast([110, 120, 150, 160, 190, 130], from: now),
        measured: measured(Array(repeating: 100..<200, count: 2).joined().map { Double($0) }, until: now), now: now)
    ).get()
    expect(rated.slots.map(\.rating), [0.145, 0.258, 0.534, 0.647, 0.86, 0.371], within: 1e-9)
    let content = rated.content
    #expect(content.values.first?.interval.start == now)
    #expect(content.values.last?.interval.end == utc(2023, 6, 18, 6))
  }
}
