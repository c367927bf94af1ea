import EnergyModel
import Testing

@testable import EnergyAnalysis

/// Random inputs: a horizon with gaps in steps of 5 to 60 min, a reference, often a plan, sometimes events.
private struct RandomCase {
  let now: Timestamp
  let input: RatingInput

  init(
    seed: UInt64, withPrice: Bool? = nil, withEvents: Bool? = nil, withGaps: Bool = true,
    scale: (Double, Double) = (1, 0)
  ) {
    var random = SplitMix64(seed: seed)
    let step = [5, 15, 60].randomElement(using: &random).map { Int64($0) * minute } ?? hour
    let now = utc(2024, 3, 1).advanced(byMilliseconds: Int64.random(in: 0..<(300 * 24 * hour), using: &random))
    let start = now.floored(toMultipleOf: step)
    let count = Int.random(in: Int(8 * hour / step)...Int(max(60, 8 * hour / step)), using: &random)
    let level = Double.random(in: 20...800, using: &random)
    let swing = Double.random(in: 0...1, using: &random) * level
    let convert = { (x: Double) in scale.0 * x + scale.1 }
    var values: [Double?] = []
    for _ in 0..<count {
      let x = (level + swing * Double.random(in: -0.9...0.9, using: &random)).rounded()
      values.append(withGaps && Double.random(in: 0...1, using: &random) < 0.1 ? nil : convert(x))
    }
    let past = (0..<Int.random(in: 0...700, using: &random)).map { _ in
      Double?(convert((level + swing * Double.random(in: -0.9...0.9, using: &random)).rounded()))
    }
    let isPriced = withPrice ?? Bool.random(using: &random)
    let hasEvents = withEvents ?? Bool.random(using: &random)
    let prices = (0..<24).map { _ in (Double.random(in: -0.05...0.6, using: &random) * 100).rounded() / 100 }
    let eventStart = now.advanced(byMilliseconds: Int64.random(in: -hour...(20 * hour), using: &random))
    self.now = now
    input = RatingInput(
      gridRegion: "CISO", action: Bool.random(using: &random) ? .shift : .reduce, now: now,
      forecast: forecast(values, from: start, step: step),
      measured: measured(past, until: now.floored(toMultipleOf: hour)), climatology: nil,
      tariff: isPriced
        ? (try? plan(prices)).flatMap { Tariff(plan: $0, timeZone: "America/Los_Angeles", isIncorporated: true) } : nil,
      events: hasEvents ? [Interval(start: eventStart, milliseconds: 3 * hour)] : [])
  }
}

@Suite struct `Ratings of any input` {
  @Test(arguments: 0..<300 as Range<UInt64>)
  func `lie within 0...1, ascend, never overlap, and explain themselves`(seed: UInt64) {
    let sample = RandomCase(seed: seed)
    guard case .success(let rated) = GuidanceComputation.rate(sample.input) else { return }
    let content = rated.content
    #expect(content.values.count == content.explanations.count)
    #expect(!content.values.isEmpty)
    #expect(zip(content.values, content.values.dropFirst()).allSatisfy { $0.interval.end <= $1.interval.start })
    #expect(content.values.allSatisfy { !$0.interval.isEmpty && (0...1).contains($0.rating.value) })
    for explanation in content.explanations {
      for part in [
        explanation.referenceRank, explanation.horizonRank, explanation.horizonMateriality,
      ] { #expect(part.map { (0...1).contains($0) } == true) }
      #expect((explanation.priceScore == nil) == !rated.options.contains(.guidanceIncorporatesRatePlan))
    }
    for value in content.values {
      let thousandths = value.rating.value * 1000
      #expect(abs(thousandths - thousandths.rounded()) < 1e-6)
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `cover the horizon but its gaps`(seed: UInt64) {
    let sample = RandomCase(seed: seed)
    guard case .success(let rated) = GuidanceComputation.rate(sample.input) else { return }
    let cover = rated.content.values.reduce(0) { $0 + $1.interval.milliseconds }
    #expect(cover == rated.slots.reduce(0) { $0 + $1.interval.milliseconds })
    let first = rated.content.values.first?.interval
    #expect(first.map { $0.start <= sample.now } == true)
    let forecast = sample.input.forecast?.points ?? []
    for point in forecast where point.interval.end > sample.now {
      guard
        let part = rated.slots.last.flatMap({
          point.interval.intersection(
            Interval(
              start: point.interval.start, milliseconds: $0.interval.end.milliseconds(since: point.interval.start)))
        })
      else { continue }
      #expect(rated.content.values.contains { $0.interval.contains(part.start) })
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `are the same every time`(seed: UInt64) {
    let sample = RandomCase(seed: seed)
    let a = try? GuidanceComputation.rate(sample.input).get()
    let b = try? GuidanceComputation.rate(RandomCase(seed: seed).input).get()
    #expect(a == b)
    #expect(a?.content == b?.content)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `put a cleaner moment never below a dirtier one where there is no price`(seed: UInt64) {
    let sample = RandomCase(seed: seed, withPrice: false, withEvents: false, withGaps: false)
    guard case .success(let rated) = GuidanceComputation.rate(sample.input) else { return }
    let sorted = rated.slots.sorted { ($0.explanation.carbonIntensity ?? 0) < ($1.explanation.carbonIntensity ?? 0) }
    #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $0.rating <= $1.rating })
  }

  /// x → a·x + b with a power of two and a whole number, which is exact, so that nothing is left to rounding.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `do not depend on the unit`(seed: UInt64) {
    let plain = try? GuidanceComputation.rate(RandomCase(seed: seed).input).get()
    let scaled = try? GuidanceComputation.rate(RandomCase(seed: seed, scale: (4, 128)).input).get()
    #expect(plain?.slots.count == scaled?.slots.count)
    for (a, b) in zip(plain?.slots ?? [], scaled?.slots ?? []) { #expect(abs(a.rating - b.rating) < 0.0011) }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `are the same in pounds and in kilograms`(seed: UInt64) {
    let pounds = try? GuidanceComputation.rate(RandomCase(seed: seed).input).get()
    let kilograms = try? GuidanceComputation.rate(RandomCase(seed: seed, scale: (0.45359237, 0)).input).get()
    for (a, b) in zip(pounds?.slots ?? [], kilograms?.slots ?? []) { #expect(abs(a.rating - b.rating) < 0.0011) }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `are issued again only as the rule allows`(seed: UInt64) {
    let sample = RandomCase(seed: seed, withEvents: false)
    guard case .success(let first) = GuidanceComputation.rate(sample.input) else { return }
    let series = GuidanceSeries(gridRegion: "CISO", action: sample.input.action, ratePlan: nil)
    let revision = first.content.revision(of: series, issueTime: sample.now, number: 0)
    #expect(ReissueRule().decide(previous: revision, rated: first, now: sample.now) == .unchanged)
  }
}
