import Locking

/// Lets one line a second into the log, the first at once, and counts those it stands for.
final class ProblemPace: Sendable {
  private struct State {
    var lastLine: ContinuousClock.Instant?
    var unsaid = 0
  }

  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Lock(State())

  /// - Parameter now: A test's clock.
  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.now = now
  }

  /// Counts one more; how many to log now, or `nil` to be silent.
  func count() -> Int? {
    let now = self.now()
    return state.withLock { state in
      state.unsaid += 1
      if let last = state.lastLine, now - last < .seconds(1) { return nil }
      state.lastLine = now
      defer { state.unsaid = 0 }
      return state.unsaid
    }
  }
}
