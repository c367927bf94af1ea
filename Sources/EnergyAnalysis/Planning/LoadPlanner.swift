package import EnergyModel

/// Finds the best plan of a load within guidance (docs/rating.md, Planning).
package enum LoadPlanner {
  package enum Failure: Error, Hashable, Sendable {
    /// The window is over.
    case isPast
    /// Guidance covers too little of the window, or no part of it that is long enough.
    case tooLittleCover
  }

  /// Costs that differ by less, in rating times milliseconds, are the same: the earlier wins.
  private static let smallestDifference = 1e-3

  /// - Parameters:
  ///   - values: Ascending, no overlaps.
  ///   - window: Not empty. What lies before `now` does not count.
  ///   - milliseconds: Running time, above 0; longer than the window means all of it.
  ///   - isContiguous: In one piece; else the best values, wherever they lie, the last of them cut.
  package static func plan(
    _ values: [GuidanceValue], window: Interval, milliseconds: Int64, isContiguous: Bool, now: Timestamp
  ) throws(Failure) -> LoadPlan {
    guard window.end > now else { throw .isPast }
    let window = Interval(
      start: max(window.start, now), milliseconds: window.end.milliseconds(since: max(window.start, now)))
    let pieces = values.compactMap { Piece($0, within: window) }
    let needed = min(milliseconds, window.milliseconds)
    guard let chosen = isContiguous ? block(needed, of: pieces) : best(needed, of: pieces), let mean = mean(of: chosen)
    else { throw .tooLittleCover }
    return LoadPlan(
      intervals: joined(chosen.map(\.interval)), meanRating: mean,
      immediateMeanRating: cut(pieces, at: window.start, milliseconds: needed).flatMap(self.mean),
      coversWindow: joined(pieces.map(\.interval)) == [window])
  }

  // MARK: - Pieces

  /// A value, or the part of one that lies in the window.
  private struct Piece {
    let interval: Interval
    let rating: Double

    var milliseconds: Int64 { interval.milliseconds }
    var cost: Double { rating * Double(milliseconds) }

    init?(_ value: GuidanceValue, within window: Interval) {
      guard let interval = value.interval.intersection(window) else { return nil }
      self.init(interval, value.rating.value)
    }

    init(_ interval: Interval, _ rating: Double) {
      self.interval = interval
      self.rating = rating
    }

    /// The first so many milliseconds of it.
    func front(_ milliseconds: Int64) -> Piece {
      Piece(Interval(start: interval.start, milliseconds: min(milliseconds, self.milliseconds)), rating)
    }
  }

  private static func mean(of pieces: [Piece]) -> Rating? {
    let milliseconds = pieces.reduce(0) { $0 + $1.milliseconds }
    guard milliseconds > 0 else { return nil }
    let mean = pieces.reduce(0) { $0 + $1.cost } / Double(milliseconds)
    return Rating(min(1, max(0, mean)))
  }

  private static func joined(_ intervals: [Interval]) -> [Interval] {
    var result: [Interval] = []
    for interval in intervals {
      if let last = result.last, last.end == interval.start, let whole = Interval(start: last.start, end: interval.end)
      {
        result[result.count - 1] = whole
      } else {
        result.append(interval)
      }
    }
    return result
  }

  /// The pieces from `start` on, without a gap; `nil` where they do not reach that far.
  private static func cut(_ pieces: [Piece], at start: Timestamp, milliseconds: Int64) -> [Piece]? {
    let wanted = Interval(start: start, milliseconds: milliseconds)
    let parts = pieces.compactMap { piece in
      piece.interval.intersection(wanted).map { Piece($0, piece.rating) }
    }
    return joined(parts.map(\.interval)) == [wanted] ? parts : nil
  }

  // MARK: - The best values

  private static func best(_ needed: Int64, of pieces: [Piece]) -> [Piece]? {
    guard pieces.reduce(0, { $0 + $1.milliseconds }) >= needed else { return nil }
    // Sorted stably: of values that are as good, the earlier first.
    let ranked = pieces.enumerated().sorted { ($0.element.rating, $0.offset) < ($1.element.rating, $1.offset) }
    var left = needed
    var chosen: [Piece] = []
    for (_, piece) in ranked where left > 0 {
      let taken = piece.front(left)
      chosen.append(taken)
      left -= taken.milliseconds
    }
    return chosen.sorted { $0.interval.start < $1.interval.start }
  }

  // MARK: - One block

  /// The cost of a block changes evenly while it is moved within the same values, so that the best begins or ends where a
  /// value does.
  private static func block(_ needed: Int64, of pieces: [Piece]) -> [Piece]? {
    var best: (cost: Double, start: Timestamp)?
    for run in runs(of: pieces) where run.milliseconds >= needed {
      for start in run.starts(of: needed) {
        let cost = run.cost(from: start, milliseconds: needed)
        if let best, cost > best.cost - smallestDifference { continue }
        best = (cost, start)
      }
    }
    return best.flatMap { cut(pieces, at: $0.start, milliseconds: needed) }
  }

  private static func runs(of pieces: [Piece]) -> [Run] {
    var runs: [Run] = []
    for piece in pieces {
      if let last = runs.last, last.end == piece.interval.start {
        runs[runs.count - 1].append(piece)
      } else {
        runs.append(Run(piece))
      }
    }
    return runs
  }

  /// Values without a gap between them.
  private struct Run {
    private var pieces: [Piece]
    /// Of all pieces before that at the same place.
    private var costs: [Double] = [0]

    init(_ piece: Piece) {
      pieces = []
      append(piece)
    }

    mutating func append(_ piece: Piece) {
      pieces.append(piece)
      costs.append(costs[costs.count - 1] + piece.cost)
    }

    var start: Timestamp { pieces[0].interval.start }
    var end: Timestamp { pieces[pieces.count - 1].interval.end }
    var milliseconds: Int64 { end.milliseconds(since: start) }

    /// Where a block of so many milliseconds may begin so that it begins or ends with a value; ascending.
    func starts(of needed: Int64) -> [Timestamp] {
      let latest = end.advanced(byMilliseconds: -needed)
      let starts = pieces.map(\.interval.start)
      let ends = pieces.map { $0.interval.end.advanced(byMilliseconds: -needed) }
      return Set(starts + ends).filter { $0 >= start && $0 <= latest }.sorted()
    }

    func cost(from moment: Timestamp, milliseconds: Int64) -> Double {
      cost(until: moment.advanced(byMilliseconds: milliseconds)) - cost(until: moment)
    }

    /// From the run's start.
    private func cost(until moment: Timestamp) -> Double {
      var low = 0
      var high = pieces.count
      while low < high {
        let middle = (low + high) / 2
        if pieces[middle].interval.end <= moment { low = middle + 1 } else { high = middle }
      }
      guard low < pieces.count else { return costs[pieces.count] }
      return costs[low] + pieces[low].rating * Double(max(0, moment.milliseconds(since: pieces[low].interval.start)))
    }
  }
}
