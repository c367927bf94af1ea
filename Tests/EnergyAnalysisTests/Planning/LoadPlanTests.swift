import EnergyAnalysis
import EnergyModel
import Testing

private let aMinute: Int64 = 60_000
private let origin = Timestamp(milliseconds: 1_700_000_000_000)

private func at(_ minutes: Int64) -> Timestamp { origin.advanced(byMilliseconds: minutes * aMinute) }

private func span(_ from: Int64, _ to: Int64) -> Interval {
  Interval(start: at(from), milliseconds: (to - from) * aMinute)
}

/// Values of ten minutes from `from` on; `nil` is a gap.
private func values(_ ratings: [Double?], from start: Int64 = 0) throws -> [GuidanceValue] {
  try ratings.enumerated().compactMap { index, rating in
    guard let rating else { return nil }
    let begin = start + Int64(index) * 10
    return GuidanceValue(interval: span(begin, begin + 10), rating: try #require(Rating(rating)))
  }
}

private func plan(
  _ ratings: [Double?], window: Interval, minutes: Int64, contiguous: Bool, now: Int64 = 0
) throws -> LoadPlan {
  try LoadPlanner.plan(
    try values(ratings), window: window, milliseconds: minutes * aMinute, isContiguous: contiguous, now: at(now))
}

@Suite struct `A plan of a load` {
  @Test func `in one block lies where the mean is least`() throws {
    let plan = try plan([0.9, 0.2, 0.1, 0.5, 0.9], window: span(0, 50), minutes: 20, contiguous: true)
    #expect(plan.intervals == [span(10, 30)])
    #expect(abs(plan.meanRating.value - 0.15) < 1e-12)
    #expect(abs(try #require(plan.immediateMeanRating).value - 0.55) < 1e-12)
    #expect(plan.coversWindow)
  }

  @Test func `in one block may begin within a value, to end with one`() throws {
    let plan = try plan([0.4, 0.1, 0.8], window: span(0, 30), minutes: 15, contiguous: true)
    #expect(plan.intervals == [span(5, 20)])
  }

  @Test func `in pieces takes the best values and cuts the last`() throws {
    let plan = try plan([0.5, 0.1, 0.9, 0.2, 0.3], window: span(0, 50), minutes: 25, contiguous: false)
    #expect(plan.intervals == [span(10, 20), span(30, 45)])
    #expect(abs(plan.meanRating.value - (10 * 0.1 + 10 * 0.2 + 5 * 0.3) / 25) < 1e-12)
  }

  @Test(arguments: [true, false])
  func `is the earliest of those that are as good`(isContiguous: Bool) throws {
    let plan = try plan([0.5, 0.3, 0.3, 0.3, 0.5, 0.3], window: span(0, 60), minutes: 10, contiguous: isContiguous)
    #expect(plan.intervals == [span(10, 20)])
  }

  @Test(arguments: [true, false], [40, 41, 1_000_000_000])
  func `is the whole window where it is asked for so much`(isContiguous: Bool, minutes: Int64) throws {
    let plan = try plan([0.1, 0.2, 0.3, 0.4, 0.5], window: span(5, 45), minutes: minutes, contiguous: isContiguous)
    #expect(plan.intervals == [span(5, 45)])
    #expect(plan.immediateMeanRating == plan.meanRating)
  }

  @Test func `does not use gaps`() throws {
    let ratings = [0.1, nil, 0.1, 0.5, 0.6, nil, 0.2]
    let window = span(0, 70)
    #expect(try plan(ratings, window: window, minutes: 20, contiguous: true).intervals == [span(20, 40)])
    #expect(try plan(ratings, window: window, minutes: 20, contiguous: false).intervals == [span(0, 10), span(20, 30)])
    #expect(try !plan(ratings, window: window, minutes: 20, contiguous: true).coversWindow)
    #expect(try plan(ratings, window: window, minutes: 20, contiguous: true).immediateMeanRating == nil)
    #expect(throws: LoadPlanner.Failure.tooLittleCover) {
      try plan(ratings, window: window, minutes: 31, contiguous: true)
    }
    #expect(throws: LoadPlanner.Failure.tooLittleCover) {
      try plan(ratings, window: window, minutes: 51, contiguous: false)
    }
  }

  @Test(arguments: [true, false])
  func `begins now where the window has opened before`(isContiguous: Bool) throws {
    let plan = try plan([0.1, 0.1, 0.3, 0.2], window: span(0, 40), minutes: 10, contiguous: isContiguous, now: 15)
    #expect(plan.intervals == (isContiguous ? [span(15, 25)] : [span(15, 20), span(30, 35)]))
    #expect(plan.coversWindow)
  }

  @Test(arguments: [true, false])
  func `keeps within what is known of a window that goes on`(isContiguous: Bool) throws {
    let plan = try plan([0.4, 0.2], window: span(0, 600), minutes: 10, contiguous: isContiguous)
    #expect(plan.intervals == [span(10, 20)])
    #expect(!plan.coversWindow)
  }

  @Test(arguments: [true, false])
  func `fails where the window is over or nothing is known of it`(isContiguous: Bool) {
    #expect(throws: LoadPlanner.Failure.isPast) {
      try plan([0.1, 0.2], window: span(0, 10), minutes: 5, contiguous: isContiguous, now: 10)
    }
    #expect(throws: LoadPlanner.Failure.tooLittleCover) {
      try plan([0.1, 0.2], window: span(30, 60), minutes: 5, contiguous: isContiguous)
    }
    #expect(throws: LoadPlanner.Failure.tooLittleCover) {
      try plan([0.1, 0.2], window: span(0, 60), minutes: 21, contiguous: isContiguous)
    }
  }

  @Test func `survives times at the ends of what there is`() throws {
    let window = try #require(Interval(start: .earliest, end: .latest))
    for isContiguous in [true, false] {
      let plan = try LoadPlanner.plan(
        try values([0.4, 0.2]), window: window, milliseconds: 60_000, isContiguous: isContiguous, now: at(0))
      #expect(plan.intervals == [span(10, 11)])
    }
    #expect(throws: LoadPlanner.Failure.tooLittleCover) {
      try LoadPlanner.plan(try values([0.4]), window: window, milliseconds: .max, isContiguous: true, now: at(0))
    }
  }

  /// Against all there is: every aMinute that a block may begin at, every choice of minutes.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `is as good as the best of all plans`(seed: UInt64) throws {
    var random = SplitMix(seed)
    let ratings = (0..<Int(random.next(in: 1...12))).map { _ -> Double? in
      random.next(in: 0...5) == 0 ? nil : Double(random.next(in: 0...20)) / 20
    }
    let now = Int64(random.next(in: 0...20))
    let begin = Int64(random.next(in: 0...60))
    let window = span(begin, begin + Int64(random.next(in: 1...80)))
    let minutes = Int64(random.next(in: 1...70))
    for isContiguous in [true, false] {
      let wanted = BruteForce(ratings, window, minutes, now).cost(isContiguous)
      guard let found = try? plan(ratings, window: window, minutes: minutes, contiguous: isContiguous, now: now) else {
        #expect(wanted == nil, "seed \(seed)")
        continue
      }
      let length = found.intervals.reduce(0) { $0 + $1.milliseconds } / aMinute
      #expect(length == min(minutes, (window.end.milliseconds(since: max(window.start, at(now)))) / aMinute))
      #expect(abs(found.meanRating.value * Double(length) - (try #require(wanted))) < 1e-9, "seed \(seed)")
      // What the plan says of itself is what its intervals cost, minute by minute.
      let costs = found.intervals.flatMap { interval in
        stride(from: interval.start.milliseconds, to: interval.end.milliseconds, by: Int(aMinute)).map { time in
          let place = Int(Timestamp(milliseconds: time).milliseconds(since: origin) / aMinute / 10)
          return ratings.indices.contains(place) ? ratings[place] : nil
        }
      }
      #expect(costs.allSatisfy { $0 != nil }, "no minute of a gap")
      #expect(abs(costs.reduce(0) { $0 + ($1 ?? 0) } - (try #require(wanted))) < 1e-9, "seed \(seed)")
      #expect(!isContiguous || found.intervals.count == 1)
    }
  }
}

/// The least cost, in rating times minutes, found by trying all.
private struct BruteForce {
  /// Of each aMinute of the window from now on.
  private let costs: [Double?]
  private let needed: Int

  init(_ ratings: [Double?], _ window: Interval, _ minutes: Int64, _ now: Int64) {
    let first = max(window.start, at(now)).milliseconds(since: origin) / aMinute
    let end = window.end.milliseconds(since: origin) / aMinute
    costs = (first..<max(first, end)).map { place in
      let index = Int(place / 10)
      return place >= 0 && index < ratings.count ? ratings[index] : nil
    }
    needed = min(Int(minutes), costs.count)
  }

  func cost(_ isContiguous: Bool) -> Double? {
    guard needed > 0 else { return nil }
    if isContiguous {
      return (0...(costs.count - needed)).compactMap { start -> Double? in
        let block = costs[start..<(start + needed)]
        return block.contains { $0 == nil } ? nil : block.reduce(0) { $0 + ($1 ?? 0) }
      }.min()
    }
    let known = costs.compactMap { $0 }.sorted()
    return known.count < needed ? nil : known[..<needed].reduce(0, +)
  }
}

/// Sebastiano Vigna's generator of seeds: the same numbers on every machine.
private struct SplitMix {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next(in range: ClosedRange<UInt64>) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return range.lowerBound + (value ^ (value >> 31)) % (range.upperBound - range.lowerBound + 1)
  }
}
