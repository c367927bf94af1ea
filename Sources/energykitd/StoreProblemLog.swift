import Diagnostics
import Storage

/// Logs what the store fails with: the first at once, then at most one line a second, with how many there were.
final class StoreProblemLog: Sendable {
  private let log: Log
  private let pace: ProblemPace
  private let busyPace: ProblemPace

  init(_ log: Log, pace: ProblemPace = ProblemPace(), busyPace: ProblemPace = ProblemPace()) {
    self.log = log
    self.pace = pace
    self.busyPace = busyPace
  }

  @Sendable func report(_ error: StoreError) {
    if case .busy = error {
      guard let count = busyPace.count() else { return }
      return log.warning("load events were refused: too many wait for the store", ["batches": LogValue(count)])
    }
    guard let count = pace.count() else { return }
    log.error("load events could not be stored", ["error": LogValue("\(error)"), "batches": LogValue(count)])
  }

  /// Of all else that the store does; in a log of its own, so that neither hides the other.
  @Sendable func reportOther(_ error: StoreError) {
    guard let count = pace.count() else { return }
    log.error("the store has failed", ["error": LogValue("\(error)"), "times": LogValue(count)])
  }
}
