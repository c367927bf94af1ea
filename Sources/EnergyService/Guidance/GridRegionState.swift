package import EnergyModel
internal import GridData

/// What an operator may want to know of a grid region.
package struct GridRegionState: Hashable, Sendable {
  package let code: String
  /// Of the newest forecast; `nil` where there is none.
  package let latestIssueTime: Timestamp?
  /// What guidance there is covers; `nil` where there is none now, or no venue to make it for.
  package let guidanceInterval: Interval?
  /// Of the forecast, or of what stands for it.
  package let quality: DataQuality?

  init(code: String, _ carbon: GridSnapshot, _ current: GuidanceRevision?, now: Timestamp) {
    self.code = code
    latestIssueTime = carbon.forecast?.issueTime
    guidanceInterval = current.flatMap { $0.isInForce(at: now) ? $0.interval : nil }
    quality =
      carbon.forecast?.points.first { $0.interval.end > now }?.quality
      ?? (carbon.climatology == nil ? nil : .climatology)
  }
}
