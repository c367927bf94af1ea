import EnergyModel

/// What prices and events do to the ratings of one horizon.
struct TariffInfluence: Sendable {
  private let tariff: Tariff?
  /// `nil` where the plan does not enter the ratings: switched off, flat, or not in force in any hour.
  private let scale: PriceScale?
  private let settings: RatingSettings
  private let events: [Interval]
  /// m_p, 0...1; `nil` without a plan that may enter.
  let materiality: Double?
  /// Ascending.
  let options: [GuidanceOption]

  /// - Parameter cover: The time that is rated; the plan is said to be incorporated where it prices at least half of it.
  init(_ input: RatingInput, cover: [Interval]) {
    tariff = input.tariff
    settings = input.settings
    events = input.events.filter { !$0.isEmpty }
    guard let tariff = input.tariff else {
      (scale, materiality, options) = (nil, nil, [])
      return
    }
    guard tariff.isIncorporated, settings.priceWeight > 0 else {
      (scale, materiality, options) = (nil, nil, [.locationHasRatePlan])
      return
    }
    let scale = PriceScale(reference: tariff.weekOfPrices(from: input.now))
    let priced = cover.flatMap(tariff.pieces).reduce(0) { $0 + ($1.price == nil ? 0 : $1.interval.milliseconds) }
    let whole = cover.reduce(0) { $0 + $1.milliseconds }
    let enters = scale.materiality > 0 && priced > 0
    self.scale = enters ? scale : nil
    materiality = scale.materiality
    options =
      enters && priced * 2 >= whole
      ? [.locationHasRatePlan, .guidanceIncorporatesRatePlan] : [.locationHasRatePlan]
  }

  struct Piece {
    let interval: Interval
    /// USD/kWh, also where it does not enter the rating; the time-weighted mean where it changes.
    let price: Double?
    let mark: RatedSlot.Mark
  }

  /// P, 0...1; `nil` without a price.
  func score(_ price: Double?) -> Double? {
    guard let scale, let price else { return nil }
    return scale.score(price)
  }

  /// Step (4): carbon and price by their weights; the carbon score alone where no price enters.
  func blend(_ carbon: Double, price: Double?) -> Double {
    guard let scale, let score = score(price) else { return carbon }
    let priceWeight = settings.priceWeight * scale.materiality
    return (settings.carbonWeight * carbon + priceWeight * score) / (settings.carbonWeight + priceWeight)
  }

  /// An interval as pieces that have one price, where prices enter, and the same events throughout.
  func cut(_ interval: Interval) -> [Piece] {
    let priced = tariff?.pieces(interval) ?? [(interval: interval, price: nil)]
    if scale == nil {
      let mean = Self.mean(priced)
      return cutAtEvents(interval).map { Piece(interval: $0, price: mean, mark: mark(at: $0.start, price: nil)) }
    }
    return priced.flatMap { part in
      cutAtEvents(part.interval).map {
        Piece(interval: $0, price: part.price, mark: mark(at: $0.start, price: part.price))
      }
    }
  }

  private func cutAtEvents(_ interval: Interval) -> [Interval] {
    let edges = events.flatMap { [$0.start, $0.end] }.sorted()
    return interval.pieces { cursor in edges.first { $0 > cursor } ?? interval.end }
  }

  private func mark(at moment: Timestamp, price: Double?) -> RatedSlot.Mark {
    RatedSlot.Mark(price: price, events: events.indices.filter { events[$0].contains(moment) })
  }

  private static func mean(_ parts: [(interval: Interval, price: Double?)]) -> Double? {
    let known = parts.compactMap { part in part.price.map { (part.interval.milliseconds, $0) } }
    if known.count == 1 { return known.first?.1 }
    let weight = known.reduce(0) { $0 + $1.0 }
    return weight > 0 ? known.reduce(0) { $0 + Double($1.0) * $1.1 } / Double(weight) : nil
  }
}

extension Tariff {
  /// An interval as pieces of one price each; neighbours differ.
  func pieces(_ interval: Interval) -> [(interval: Interval, price: Double?)] {
    var pieces: [(interval: Interval, price: Double?)] = []
    for piece in interval.pieces(nextEdge) {
      let price = priceUSDPerKWh(at: piece.start)
      if let last = pieces.last, last.price == price {
        let length = piece.end.milliseconds(since: last.interval.start)
        pieces[pieces.count - 1].interval = Interval(start: last.interval.start, milliseconds: length)
      } else {
        pieces.append((piece, price))
      }
    }
    return pieces
  }
}
