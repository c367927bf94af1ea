internal import EnergyAnalysis
package import EnergyModel

extension GuidanceService {
  /// The best plan of a load within a revision of guidance, judged by the server's clock.
  ///
  /// - Throws: `guidanceUnavailable` where the window is over, or too little of it is covered.
  package func plan(
    within revision: GuidanceRevision, window: Interval, milliseconds: Int64, isContiguous: Bool
  ) throws(EnergyKitError) -> LoadPlan {
    do throws(LoadPlanner.Failure) {
      return try LoadPlanner.plan(
        revision.values, window: window, milliseconds: milliseconds, isContiguous: isContiguous, now: clock.now)
    } catch {
      throw .guidanceUnavailable(retryAfterSeconds: GuidanceRetry.seconds())
    }
  }
}
