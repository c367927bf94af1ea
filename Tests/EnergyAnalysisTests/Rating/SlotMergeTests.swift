import EnergyModel
import Testing

@testable import EnergyAnalysis

@Suite struct `Merging` {
  private let start = utc(2023, 6, 18)

  private func slots(_ ratings: [Double], step: Int64 = hour, marks: [Int: RatedSlot.Mark] = [:]) -> [RatedSlot] {
    ratings.enumerated().map { index, rating in
      RatedSlot(
        interval: Interval(start: start.advanced(byMilliseconds: Int64(index) * step), milliseconds: step),
        rating: rating, mark: marks[index] ?? RatedSlot.Mark(),
        explanation: RatingExplanation(carbonIntensity: rating * 100, quality: .forecast))
    }
  }

  private func merge(_ slots: [RatedSlot], leastLength: Int64 = 0) -> [RatedSlot] {
    SlotMerge(leastLength: leastLength).merge(slots)
  }

  @Test func `joins neighbours that differ by a twentieth or less`() {
    let merged = merge(slots([0.1, 0.15, 0.4, 0.451]))
    #expect(merged.map(\.rating) == [0.125, 0.4, 0.451])
    #expect(merged[0].interval.milliseconds == 2 * hour)
  }

  @Test func `takes the closest pair first, the earliest of several`() {
    // .30 and .34 are as close as .34 and .38; once the first pair is .32, .38 is too far.
    #expect(merge(slots([0.3, 0.34, 0.38])).map(\.rating) == [0.32, 0.38])
    #expect(merge(slots([0.3, 0.36, 0.4])).map(\.rating) == [0.3, 0.38])
  }

  @Test func `weighs ratings and their reasons by length`() {
    let merged = merge(slots([0.3, 0.3, 0.33]))
    #expect(merged.map(\.rating) == [0.31])
    #expect(merged.count == 1)
    #expect(abs((merged[0].explanation.carbonIntensity ?? 0) - 31) < 1e-9)
  }

  @Test func `keeps reasons that are equal exactly`() {
    var equal = slots([0.3, 0.3, 0.31])
    for index in equal.indices { equal[index].explanation.priceUSDPerKWh = 0.34578 }
    #expect(merge(equal)[0].explanation.priceUSDPerKWh == 0.34578)
  }

  @Test func `shows the worst quality of what it joins`() {
    var mixed = slots([0.3, 0.3])
    mixed[1].explanation.quality = .climatology
    #expect(merge(mixed)[0].explanation.quality == .climatology)
  }

  @Test func `stops at a change of price, an event's edge, and a gap`() {
    #expect(merge(slots([0.3, 0.3], marks: [1: RatedSlot.Mark(price: 0.2)])).count == 2)
    #expect(merge(slots([0.3, 0.3], marks: [1: RatedSlot.Mark(events: [0])])).count == 2)
    var apart = slots([0.3, 0.3, 0.3])
    apart.remove(at: 1)
    #expect(merge(apart).count == 2)
  }

  @Test(arguments: [(SuggestedAction.shift, 30), (.reduce, 15)] as [(SuggestedAction, Int64)])
  func `leaves no piece that is too short`(action: SuggestedAction, minutes: Int64) {
    var random = SplitMix64(seed: 7)
    let ratings = (0..<288).map { _ in (Double.random(in: 0...1, using: &random)).roundedToThousandths }
    let merged = merge(slots(ratings, step: 5 * minute), leastLength: RatingSettings.leastLength(for: action))
    #expect(merged.allSatisfy { $0.interval.milliseconds >= minutes * minute })
    #expect(merged.first?.interval.start == start)
    #expect(merged.last?.interval.end == start.advanced(byMilliseconds: 24 * hour))
    #expect(zip(merged, merged.dropFirst()).allSatisfy { $0.interval.end == $1.interval.start })
  }

  @Test func `leaves a short piece between two prices alone`() {
    let marks = [1: RatedSlot.Mark(price: 0.5)]
    #expect(merge(slots([0.3, 0.31, 0.3], step: 10 * minute, marks: marks), leastLength: 30 * minute).count == 3)
  }

  @Test func `joins what is held only where it is equal`() {
    let held = RatedSlot.Mark(isHeld: true)
    #expect(merge(slots([0.3, 0.3, 0.31], marks: [0: held, 1: held, 2: held])).map(\.rating) == [0.3, 0.31])
    #expect(merge(slots([0.3, 0.3], marks: [0: held])).count == 2)
  }
}
