package import EnergyModel

/// A forecast with a rating for each of its pieces, before neighbours are merged.
package struct RatedForecast: Hashable, Sendable {
  package let action: SuggestedAction
  /// The moment it was computed for.
  package let now: Timestamp
  /// Ascending, no repeats.
  package let options: [GuidanceOption]
  /// Ascending, no overlaps, never empty; holes only where nothing is known.
  let slots: [RatedSlot]
  /// When the ratings will be due for computing again at the latest; after `now`.
  let dueTime: Timestamp

  /// The guidance itself, neighbours merged.
  package var content: GuidanceContent { content(slots) }

  func content(_ slots: [RatedSlot]) -> GuidanceContent {
    let merged = SlotMerge(leastLength: RatingSettings.leastLength(for: action)).merge(slots)
    let end = merged.last?.interval.end ?? now
    return GuidanceContent(
      options: options,
      values: merged.compactMap { slot in
        Rating(slot.rating).map { GuidanceValue(interval: slot.interval, rating: $0) }
      },
      explanations: merged.map(\.explanation), nextUpdateTime: min(dueTime, end))
  }
}

/// What a revision of guidance says, without the names that its issuer gives it.
package struct GuidanceContent: Hashable, Sendable {
  package let options: [GuidanceOption]
  /// Ascending, no overlaps, never empty.
  package let values: [GuidanceValue]
  /// As many as `values`, at the same positions.
  package let explanations: [RatingExplanation]
  package let nextUpdateTime: Timestamp

  /// - Parameter issueTime: Whole seconds.
  package func revision(of series: GuidanceSeries, issueTime: Timestamp, number: UInt16) -> GuidanceRevision {
    GuidanceRevision(
      series: series, issueTime: issueTime, number: number, options: options, values: values,
      nextUpdateTime: nextUpdateTime, explanations: explanations)
  }
}

/// A piece of time that has one rating.
struct RatedSlot: Hashable, Sendable {
  var interval: Interval
  /// 0...1, three decimals unless it is being merged.
  var rating: Double
  /// What the slot may be merged across; slots of different marks stay apart.
  var mark: Mark
  var explanation: RatingExplanation

  struct Mark: Hashable, Sendable {
    /// USD/kWh, where a price entered the rating.
    var price: Double?
    /// Positions of the events in force in the list of events.
    var events: [Int] = []
    /// Whether the rating is one that was handed out before.
    var isHeld = false
  }
}
