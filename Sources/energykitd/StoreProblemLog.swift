import Diagnostics
import Locking
import Storage

/// Logs what the store fails with: the first at once, then at most one line a second, with how many there were.
final class StoreProblemLog: Sendable {
  private struct State {
    var lastLine: ContinuousClock.Instant?
    var unsaid = 0
  }

  private let log: Log
  private let state = Lock(State())

  init(_ log: Log) { self.log = log }

  @Sendable func report(_ error: StoreError) {
    let now = ContinuousClock.now
    let count: Int? = state.withLock { state in
      state.unsaid += 1
      if let last = state.lastLine, now - last < .seconds(1) { return nil }
      state.lastLine = now
      defer { state.unsaid = 0 }
      return state.unsaid
    }
    guard let count else { return }
    log.error("load events could not be stored", ["error": LogValue("\(error)"), "batches": LogValue(count)])
  }
}
