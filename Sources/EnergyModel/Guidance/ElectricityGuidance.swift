/// How good an interval is for using electricity: 0 is the best, 1 the worst (Apple: `ElectricityGuidance.Value`).
package struct Rating: Hashable, Comparable, Sendable, Codable {
  package let value: Double

  /// Returns `nil` outside 0...1. NaN is outside.
  package init?(_ value: Double) {
    guard (0...1).contains(value) else { return nil }
    self.value = value
  }

  package static func < (a: Rating, b: Rating) -> Bool { a.value < b.value }
}

/// How the load will use the guidance (Apple: `ElectricityGuidance.SuggestedAction`).
package enum SuggestedAction: UInt8, Hashable, Sendable, Codable, CaseIterable {
  /// The load moves in time, its total stays: EV charging.
  case shift = 1
  /// The load can use less: HVAC set-back.
  case reduce = 2
}

/// What else went into the ratings (Apple: `ElectricityGuidance.Options`).
package enum GuidanceOption: UInt8, Hashable, Comparable, Sendable, Codable {
  case locationHasRatePlan = 1
  case guidanceIncorporatesRatePlan = 2

  package static func < (a: GuidanceOption, b: GuidanceOption) -> Bool { a.rawValue < b.rawValue }
}

package struct GuidanceValue: Hashable, Sendable, Codable {
  package let interval: Interval
  package let rating: Rating

  package init(interval: Interval, rating: Rating) {
    self.interval = interval
    self.rating = rating
  }
}

/// What guidance is computed for; all subscribers of one series share one computation (docs/architecture.md, Fan-out).
package struct GuidanceSeries: Hashable, Sendable, Codable {
  package let gridRegion: String
  package let action: SuggestedAction
  /// The plan whose prices are looked at, with the zone that its hours are local to; `nil` without a plan.
  package let ratePlan: PlanInZone?

  package init(gridRegion: String, action: SuggestedAction, ratePlan: PlanInZone?) {
    self.gridRegion = gridRegion
    self.action = action
    self.ratePlan = ratePlan
  }

  package struct PlanInZone: Hashable, Sendable, Codable {
    package let ratePlanID: String
    /// IANA name.
    package let timeZone: String
    /// Whether the plan may enter the ratings, as the venue's settings say.
    package let isIncorporated: Bool

    package init(ratePlanID: String, timeZone: String, isIncorporated: Bool) {
      self.ratePlanID = ratePlanID
      self.timeZone = timeZone
      self.isIncorporated = isIncorporated
    }
  }
}

/// One issue of a series' guidance: everything in `ElectricityGuidance` but what differs from caller to caller.
package struct GuidanceRevision: Hashable, Sendable, Codable {
  package let series: GuidanceSeries
  /// When it was computed; whole seconds, since the token carries seconds.
  package let issueTime: Timestamp
  /// Tells apart revisions issued in one second; the token's number (docs/architecture.md, Guidance token).
  package let number: UInt16
  /// Ascending, no repeats.
  package let options: [GuidanceOption]
  /// Ascending, no overlaps; a gap only where the source has no data. Never empty.
  package let values: [GuidanceValue]
  /// When the next one is due at the latest.
  package let nextUpdateTime: Timestamp
  /// As many as `values`, at the same positions.
  package let explanations: [RatingExplanation]

  package init(
    series: GuidanceSeries, issueTime: Timestamp, number: UInt16, options: [GuidanceOption], values: [GuidanceValue],
    nextUpdateTime: Timestamp, explanations: [RatingExplanation]
  ) {
    self.series = series
    self.issueTime = issueTime
    self.number = number
    self.options = options
    self.values = values
    self.nextUpdateTime = nextUpdateTime
    self.explanations = explanations
  }

  /// Hull of the values.
  package var interval: Interval? {
    guard let first = values.first, let last = values.last else { return nil }
    return Interval(start: first.interval.start, end: last.interval.end)
  }
}

/// Why a value is rated as it is; symbols as in docs/rating.md. Merged values carry length-weighted means.
package struct RatingExplanation: Hashable, Sendable, Codable {
  package var carbonKind: SignalKind?
  package var carbonModel: String
  /// gCO2eq/kWh.
  package var carbonIntensity: Double?
  /// F_R, 0...1.
  package var referenceRank: Double?
  /// F_H, 0...1.
  package var horizonRank: Double?
  /// m, 0...1.
  package var horizonMateriality: Double?
  package var priceUSDPerKWh: Double?
  /// P, 0...1.
  package var priceScore: Double?
  /// m_p, 0...1.
  package var priceMateriality: Double?
  /// The worst of its parts.
  package var quality: DataQuality
  /// Raised by a critical peak, alert or emergency.
  package var isGridEvent: Bool

  package init(
    carbonKind: SignalKind? = nil, carbonModel: String = "", carbonIntensity: Double? = nil,
    referenceRank: Double? = nil, horizonRank: Double? = nil, horizonMateriality: Double? = nil,
    priceUSDPerKWh: Double? = nil, priceScore: Double? = nil, priceMateriality: Double? = nil,
    quality: DataQuality, isGridEvent: Bool = false
  ) {
    self.carbonKind = carbonKind
    self.carbonModel = carbonModel
    self.carbonIntensity = carbonIntensity
    self.referenceRank = referenceRank
    self.horizonRank = horizonRank
    self.horizonMateriality = horizonMateriality
    self.priceUSDPerKWh = priceUSDPerKWh
    self.priceScore = priceScore
    self.priceMateriality = priceMateriality
    self.quality = quality
    self.isGridEvent = isGridEvent
  }
}
