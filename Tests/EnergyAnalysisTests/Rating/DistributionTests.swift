import Testing

@testable import EnergyAnalysis

@Suite struct `A distribution` {
  private func distribution(_ values: [Double], weights: [Double]? = nil) -> Distribution {
    Distribution(
      values.enumerated().map { index, value in (value: value, weight: weights.map { $0[index] } ?? 1) })
  }

  @Test func `interpolates quantiles at position (n - 1)p`() {
    let ten = distribution([10, 20, 30, 40, 50, 60, 70, 80, 90, 100])
    #expect(abs(ten.quantile(0.05) - 14.5) < 1e-12)
    #expect(abs(ten.quantile(0.95) - 95.5) < 1e-12)
    #expect(ten.quantile(0) == 10)
    #expect(ten.quantile(1) == 100)
    #expect(distribution([7]).quantile(0.3) == 7)
  }

  @Test func `counts half of the equal values`() {
    let five = distribution([1, 2, 2, 3, 4])
    #expect(five.midRank(of: 2) == 0.4)
    #expect(five.midRank(of: 0) == 0)
    #expect(five.midRank(of: 9) == 1)
    #expect(five.midRank(of: 2.5) == 0.6)
  }

  @Test func `weighs values by the time they stood for`() {
    let weighted = distribution([1, 2, 3], weights: [1, 2, 1])
    let repeated = distribution([1, 2, 2, 3])
    for value in [0, 1, 1.5, 2, 2.5, 3, 4] { #expect(weighted.midRank(of: value) == repeated.midRank(of: value)) }
    for p in [0, 0.1, 0.25, 0.5, 0.8, 0.9, 1] {
      #expect(abs(weighted.quantile(p) - repeated.quantile(p)) < 1e-12)
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `agrees with the plain definition`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let values = (0..<Int.random(in: 1...50, using: &random)).map { _ in
      Double(Int.random(in: -20...20, using: &random))
    }
    let sorted = values.sorted()
    let p = Double.random(in: 0...1, using: &random)
    let position = Double(sorted.count - 1) * p
    let low = Int(position)
    let high = min(low + 1, sorted.count - 1)
    let expected = sorted[low] + (position - Double(low)) * (sorted[high] - sorted[low])
    #expect(abs(distribution(values).quantile(p) - expected) < 1e-9)
    let x = Double(Int.random(in: -22...22, using: &random))
    let rank = Double(values.count { $0 < x }) + Double(values.count { $0 == x }) / 2
    #expect(abs(distribution(values).midRank(of: x) - rank / Double(values.count)) < 1e-12)
  }

  @Test func `of nothing ranks everything in the middle`() {
    #expect(distribution([]).midRank(of: 3) == 0.5)
    #expect(distribution([]).spread == 0)
    #expect(distribution([.nan, .infinity]).isEmpty)
  }
}
