package import EnergyModel

/// When newly computed guidance is worth handing out (docs/rating.md, When new guidance is sent).
package struct ReissueRule: Hashable, Sendable {
  /// Seconds that must pass after a revision was handed out, except for events and changes of the plan or the options.
  package let minimumIntervalSeconds: Int64

  package init(minimumIntervalSeconds: Int64 = 300) {
    self.minimumIntervalSeconds = max(0, minimumIntervalSeconds)
  }

  /// A difference of ratings that people should hear of, and how much of the time it must take.
  private static let notableDifference = 0.05
  private static let notableLength = 15 * RatingSettings.minute
  /// How far the end of the forecast must move to be news.
  private static let notableExtension = RatingSettings.hour
  /// The present interval, and what begins within this time, keep the rating that was handed out unless it moves by
  /// more than `holdLimit`.
  private static let holdLength = 30 * RatingSettings.minute
  private static let holdLimit = 0.15

  /// Compares a fresh computation with what subscribers have.
  ///
  /// Decide again whenever the data, the events or the plan change, at the moment that `.hold` names, at
  /// `nextUpdateTime` of the current revision, and whenever a slot of the source begins: the values of guidance start
  /// with the present interval.
  ///
  /// - Parameters:
  ///   - previous: The revision handed out last; `nil` where there is none, then the answer is `.send`.
  ///   - rated: Computed at `now`.
  ///   - mustSend: The plan, the options or the location changed in a way that ratings and prices need not show.
  package func decide(
    previous: GuidanceRevision?, rated: RatedForecast, now: Timestamp, mustSend: Bool = false
  ) -> ReissueDecision {
    guard let previous, let covered = previous.interval, covered.end > now else {
      return .send(limited(rated.content, now: now))
    }
    let fresh = rated.content
    let isExempt = mustSend || hasExemptChange(from: previous, to: fresh, after: now)
    // Holding cuts what was merged, which is no news by itself; and what moved only where it is held is none either.
    guard isExempt || isNews(fresh, after: previous, now: now) else { return .unchanged }
    let content = isExempt ? fresh : held(rated, to: previous.values, now: now)
    guard isExempt || isNews(content, after: previous, now: now) else { return .unchanged }
    let earliest = previous.issueTime.advanced(bySeconds: minimumIntervalSeconds)
    guard isExempt || now >= earliest else { return .hold(until: earliest) }
    return .send(limited(content, now: now))
  }

  /// The next update is never promised within the time in which none may be sent.
  private func limited(_ content: GuidanceContent, now: Timestamp) -> GuidanceContent {
    GuidanceContent(
      options: content.options, values: content.values, explanations: content.explanations,
      nextUpdateTime: max(content.nextUpdateTime, now.advanced(bySeconds: minimumIntervalSeconds)))
  }

  private func isNews(_ content: GuidanceContent, after previous: GuidanceRevision, now: Timestamp) -> Bool {
    guard let old = previous.interval?.end, let new = content.values.last?.interval.end else { return true }
    if abs(new.milliseconds(since: old)) >= Self.notableExtension { return true }
    let common = Interval(start: now, milliseconds: min(old, new).milliseconds(since: now))
    let changed = ValueComparison(common).milliseconds(previous.values, content.values, where: Self.isNotable)
    if changed >= Self.notableLength { return true }
    return now >= previous.nextUpdateTime && content.values != previous.values
  }

  private static func isNotable(_ old: Double?, _ new: Double?) -> Bool {
    switch (old, new) {
    case (let old?, let new?): abs(new - old) >= notableDifference - RatingSettings.tolerance
    case (nil, nil): false
    case (nil, _), (_, nil): true
    }
  }

  /// Whether the options, an event or the price that ratings are made from changed in the common future.
  private func hasExemptChange(
    from previous: GuidanceRevision, to content: GuidanceContent, after now: Timestamp
  ) -> Bool {
    if previous.options != content.options { return true }
    guard let old = previous.interval?.end, let new = content.values.last?.interval.end else { return false }
    let common = ValueComparison(Interval(start: now, milliseconds: min(old, new).milliseconds(since: now)))
    let context = { (values: [GuidanceValue], explanations: [RatingExplanation]) in
      zip(values, explanations).map { (interval: $0.interval, value: Context($1)) }
    }
    let changed = common.milliseconds(
      context(previous.values, previous.explanations), context(content.values, content.explanations)
    ) { old, new in
      guard let old, let new else { return false }
      return old != new
    }
    return changed > 0
  }

  /// What else than carbon a rating rests on.
  private struct Context: Hashable {
    let isGridEvent: Bool
    let price: Double?

    init(_ explanation: RatingExplanation) {
      isGridEvent = explanation.isGridEvent
      price = explanation.priceScore == nil ? nil : explanation.priceUSDPerKWh
    }
  }

  /// The content in which the present slot, and those that begin within 30 min, keep the ratings handed out.
  private func held(_ rated: RatedForecast, to values: [GuidanceValue], now: Timestamp) -> GuidanceContent {
    let horizon = now.advanced(byMilliseconds: Self.holdLength)
    let slots = rated.slots.map { slot -> RatedSlot in
      let moment = max(slot.interval.start, now)
      guard slot.interval.end > now, slot.interval.start < horizon,
        let old = values.first(where: { $0.interval.contains(moment) })?.rating.value,
        abs(slot.rating - old) <= Self.holdLimit + RatingSettings.tolerance
      else { return slot }
      var held = slot
      held.rating = old
      held.mark.isHeld = true
      return held
    }
    return rated.content(slots)
  }
}

package enum ReissueDecision: Hashable, Sendable {
  /// New guidance, with what is held already in it; it needs a new token.
  case send(GuidanceContent)
  /// There is news, but too soon after the last revision: compute and decide again then.
  case hold(until: Timestamp)
  /// The revision that was handed out stands.
  case unchanged
}
