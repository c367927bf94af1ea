import EnergyModel
import LocalTime

/// From grid data and prices to ratings (docs/rating.md).
package enum GuidanceComputation {
  /// Rates the time from the present interval to the end of the forecast, 48 h at most.
  package static func rate(_ input: RatingInput) -> Result<RatedForecast, RatingFailure> {
    do {
      return .success(try Computation(input).rated())
    } catch {
      guard error != .wrongSignal(.price), let rated = PriceAlone(input).rated() else { return .failure(error) }
      return .success(rated)
    }
  }
}

/// One computation and what its steps share.
private struct Computation {
  let input: RatingInput
  let forecastKey: SignalKey
  let horizon: Horizon
  let reference: Reference
  let scale: CarbonScale

  init(_ input: RatingInput) throws(RatingFailure) {
    let clock = ReferenceWindow.clock(gridRegion: input.gridRegion)
    let carbon = try CarbonData(input, clock: clock)
    let reference = carbon.reference(clock: clock)
    let horizon = try carbon.horizon.filled(with: reference.usualHours)
    self.input = input
    self.forecastKey = carbon.key
    self.horizon = horizon
    self.reference = reference
    self.scale = CarbonScale(
      action: input.action, reference: reference.distribution, horizon: horizon.distribution)
  }

  func rated() -> RatedForecast {
    let influence = TariffInfluence(input, cover: horizon.slices.map(\.interval))
    let slots = horizon.slices.flatMap { slice in
      influence.cut(slice.interval).map { slot(slice, $0, influence) }
    }
    return RatedForecast(
      action: input.action, now: input.now, options: influence.options, slots: slots, dueTime: input.dueTime)
  }

  private func slot(_ slice: HorizonSlice, _ piece: TariffInfluence.Piece, _ influence: TariffInfluence) -> RatedSlot {
    let score = scale.score(slice.value)
    var rating = influence.blend(score.value, price: piece.mark.price)
    if slice.origin == .typical { rating = 0.5 + (rating - 0.5) / 2 }
    let explanation = RatingExplanation(
      carbonKind: forecastKey.kind, carbonModel: forecastKey.model, carbonIntensity: slice.value,
      referenceRank: score.referenceRank, horizonRank: score.horizonRank, horizonMateriality: scale.materiality,
      priceUSDPerKWh: piece.price, priceScore: influence.score(piece.mark.price),
      priceMateriality: influence.materiality, quality: max(slice.quality, reference.quality),
      isGridEvent: !piece.mark.events.isEmpty)
    return RatedSlot(
      interval: piece.interval, rating: rating.raised(byEvent: explanation.isGridEvent).roundedToThousandths,
      mark: piece.mark, explanation: explanation)
  }
}

/// Where there is no carbon and the operator allows it, prices rate alone: 24 h of them (docs/rating.md, Edge cases).
private struct PriceAlone {
  let input: RatingInput

  init(_ input: RatingInput) { self.input = input }

  func rated() -> RatedForecast? {
    guard input.settings.allowsPriceAlone else { return nil }
    let start = input.now.floored(toMultipleOf: RatingSettings.hour)
    let cover = Interval(start: start, milliseconds: RatingSettings.expiredAge)
    let influence = TariffInfluence(input, cover: [cover])
    let slots = influence.cut(cover).compactMap { piece -> RatedSlot? in
      guard let score = influence.score(piece.mark.price) else { return nil }
      let explanation = RatingExplanation(
        priceUSDPerKWh: piece.price, priceScore: score, priceMateriality: influence.materiality, quality: .forecast,
        isGridEvent: !piece.mark.events.isEmpty)
      return RatedSlot(
        interval: piece.interval, rating: score.raised(byEvent: explanation.isGridEvent).roundedToThousandths,
        mark: piece.mark, explanation: explanation)
    }
    guard !slots.isEmpty else { return nil }
    return RatedForecast(
      action: input.action, now: input.now, options: influence.options, slots: slots, dueTime: input.dueTime)
  }
}

extension Double {
  /// Step (5): under an event a rating is at least 0.9 + 0.1 r.
  fileprivate func raised(byEvent isEvent: Bool) -> Double { isEvent ? Swift.max(self, 0.9 + 0.1 * self) : self }
}

extension RatingInput {
  /// When the ratings are due again at the latest: with the source's next run, or when the present one grows stale or
  /// expires.
  fileprivate var dueTime: Timestamp {
    var moments = [nextRunTime].compactMap(\.self)
    if let issueTime = forecast?.issueTime {
      moments.append(issueTime.advanced(byMilliseconds: RatingSettings.staleAge + 1))
      moments.append(issueTime.advanced(byMilliseconds: RatingSettings.expiredAge + 1))
    }
    return moments.filter { $0 > now }.min() ?? now.advanced(byMilliseconds: RatingSettings.staleAge)
  }
}
