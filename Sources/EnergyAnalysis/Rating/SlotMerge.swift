import EnergyModel

/// Joins neighbours that hardly differ, so that people get few, long and stable intervals (docs/rating.md, Merging).
struct SlotMerge: Sendable {
  /// Milliseconds; shorter slots are joined with a neighbour whatever the difference.
  let leastLength: Int64

  /// While neighbours differ by ε or less, the pair with the least difference is joined, the earliest of several;
  /// then slots that are too short. Nothing is joined across a gap, an event's edge, a change of the price that is
  /// rated by, or the edge of what is held.
  func merge(_ slots: [RatedSlot]) -> [RatedSlot] {
    var runs = Self.runs(slots)
    while let position = closestPair(in: runs) {
      let next = runs.remove(at: position + 1)
      runs[position].append(next)
    }
    return runs.map { $0.merged(slots) }
  }

  private static func runs(_ slots: [RatedSlot]) -> [Run] {
    slots.indices.map { index in
      let slot = slots[index]
      let isOpen =
        index + 1 < slots.count && slot.interval.end == slots[index + 1].interval.start
        && slot.mark == slots[index + 1].mark
      return Run(
        range: index..<index + 1, rating: slot.rating, milliseconds: slot.interval.milliseconds,
        isOpenToNext: isOpen, isHeld: slot.mark.isHeld)
    }
  }

  /// The first position of the pair to join next: the closest that differ by ε or less, else the closest of which one
  /// is too short.
  private func closestPair(in runs: [Run]) -> Int? {
    var alike = Closest()
    var short = Closest()
    for position in runs.indices.dropLast() where runs[position].isOpenToNext {
      let difference = abs(runs[position].rating - runs[position + 1].rating)
      let isHeld = runs[position].isHeld
      if difference <= (isHeld ? 0 : RatingSettings.mergeThreshold) + RatingSettings.tolerance {
        alike.consider(position, difference)
      } else if !isHeld, min(runs[position].milliseconds, runs[position + 1].milliseconds) < leastLength {
        short.consider(position, difference)
      }
    }
    return alike.position ?? short.position
  }

  /// The pair with the least difference so far, the earliest of several.
  private struct Closest {
    private(set) var position: Int?
    private var difference = Double.infinity

    mutating func consider(_ candidate: Int, _ candidateDifference: Double) {
      guard candidateDifference < difference - RatingSettings.tolerance else { return }
      position = candidate
      difference = candidateDifference
    }
  }
}

/// Slots that were joined, with their length-weighted mean.
private struct Run {
  /// Positions of the slots.
  private(set) var range: Range<Int>
  private(set) var rating: Double
  private(set) var milliseconds: Int64
  private(set) var isOpenToNext: Bool
  let isHeld: Bool

  init(range: Range<Int>, rating: Double, milliseconds: Int64, isOpenToNext: Bool, isHeld: Bool) {
    self.range = range
    self.rating = rating
    self.milliseconds = milliseconds
    self.isOpenToNext = isOpenToNext
    self.isHeld = isHeld
  }

  mutating func append(_ next: Run) {
    let total = milliseconds + next.milliseconds
    rating = (rating * Double(milliseconds) + next.rating * Double(next.milliseconds)) / Double(total)
    milliseconds = total
    range = range.lowerBound..<next.range.upperBound
    isOpenToNext = next.isOpenToNext
  }

  func merged(_ slots: [RatedSlot]) -> RatedSlot {
    let first = slots[range.lowerBound]
    guard range.count > 1 else { return first }
    return RatedSlot(
      interval: Interval(start: first.interval.start, milliseconds: milliseconds),
      rating: rating.roundedToThousandths, mark: first.mark,
      explanation: Self.meanExplanation(slots[range], as: first.explanation))
  }

  private static func meanExplanation(
    _ slots: ArraySlice<RatedSlot>, as first: RatingExplanation
  ) -> RatingExplanation {
    var mean = first
    mean.carbonIntensity = Self.mean(slots, \.carbonIntensity)
    mean.referenceRank = Self.mean(slots, \.referenceRank)
    mean.horizonRank = Self.mean(slots, \.horizonRank)
    mean.horizonMateriality = Self.mean(slots, \.horizonMateriality)
    mean.priceUSDPerKWh = Self.mean(slots, \.priceUSDPerKWh)
    mean.priceScore = Self.mean(slots, \.priceScore)
    mean.priceMateriality = Self.mean(slots, \.priceMateriality)
    mean.quality = slots.map(\.explanation.quality).max() ?? mean.quality
    return mean
  }

  /// The length-weighted mean over the slots that have the part; equal parts stay exactly as they are.
  private static func mean(_ slots: ArraySlice<RatedSlot>, _ part: (RatingExplanation) -> Double?) -> Double? {
    var sum = 0.0
    var weight = 0.0
    var values: Set<Double> = []
    for slot in slots {
      guard let value = part(slot.explanation) else { continue }
      let length = Double(slot.interval.milliseconds)
      sum += value * length
      weight += length
      values.insert(value)
    }
    if values.count == 1 { return values.first }
    return weight > 0 ? sum / weight : nil
  }
}

extension Double {
  /// Step (6): three decimals, within 0...1.
  var roundedToThousandths: Double { Swift.min(1, Swift.max(0, (self * 1000).rounded() / 1000)) }
}
