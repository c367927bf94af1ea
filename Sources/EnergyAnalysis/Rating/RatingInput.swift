package import EnergyModel

/// Everything that guidance is computed from. No clock and no source is asked: the same input gives the same ratings.
package struct RatingInput: Sendable {
  package let gridRegion: String
  package let action: SuggestedAction
  /// The moment of issue.
  package let now: Timestamp
  /// The newest forecast run of a carbon signal; `nil` where there is no feed.
  package let forecast: GridSignal?
  /// Carbon values as they turned out, of at least the trailing 28 days that end at the region's last local midnight;
  /// may reach further on either side. Ignored where it is of another kind or model than the forecast.
  package let measured: GridSignal?
  package let climatology: Climatology?
  /// The venue's plan, in the venue's zone.
  package let tariff: Tariff?
  /// When a critical-peak price, flex alert or grid emergency is in force. May overlap.
  package let events: [Interval]
  /// When the source is expected to publish its next run, where it says so.
  package let nextRunTime: Timestamp?
  package let settings: RatingSettings

  package init(
    gridRegion: String, action: SuggestedAction, now: Timestamp, forecast: GridSignal?, measured: GridSignal?,
    climatology: Climatology?, tariff: Tariff?, events: [Interval] = [], nextRunTime: Timestamp? = nil,
    settings: RatingSettings = .standard
  ) {
    self.gridRegion = gridRegion
    self.action = action
    self.now = now
    self.forecast = forecast
    self.measured = measured
    self.climatology = climatology
    self.tariff = tariff
    self.events = events
    self.nextRunTime = nextRunTime
    self.settings = settings
  }
}

/// Why there are no ratings; to a caller each is `guidanceUnavailable`.
package enum RatingFailure: Error, Hashable, Sendable {
  /// Neither a forecast nor anything to make one from.
  case noCarbonData
  /// The forecast is of prices, not of carbon.
  case wrongSignal(SignalKind)
  /// Less than six hours are known from now on.
  case horizonTooShort(usableMilliseconds: Int64)
  /// More than half of the time between now and the end of the forecast is missing, a share of 0...1.
  case tooManyGaps(missingShare: Double)
}
