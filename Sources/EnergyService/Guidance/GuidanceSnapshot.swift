import EnergyModel

/// The current guidance of all series at one moment.
struct GuidanceSnapshot: Sendable {
  /// `nil` where the series is known but has none.
  private(set) var revisions: [GuidanceSeries: GuidanceRevision?] = [:]

  /// `nil` where the engine does not know the series.
  subscript(series: GuidanceSeries) -> GuidanceRevision?? {
    get { revisions[series] }
    set { revisions[series] = newValue }
  }
}

extension GuidanceRevision {
  /// Whether it has values for now or later.
  func isInForce(at now: Timestamp) -> Bool {
    guard let end = interval?.end else { return false }
    return end > now
  }
}
