import Glibc
import Locking
import NetworkIO

/// Counts SIGTERM and SIGINT, and lets tasks wait for the first and the second.
final class SignalCounter: Sendable {
  private struct State {
    var count = 0
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Lock(State())

  func count() {
    let due = state.withLock { state in
      state.count += 1
      let count = state.count
      let due = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return due.map(\.continuation)
    }
    for continuation in due { continuation.resume() }
  }

  func received(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isDue = state.withLock { state in
        if state.count >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isDue { continuation.resume() }
    }
  }
}

/// `@unchecked Sendable`: used on the loop only.
final class SignalWatchers: @unchecked Sendable {
  private var watchers: [SignalWatcher] = []

  func start(_ signals: SignalCounter, on loop: EventLoop, onHangUp: @escaping () -> Void) {
    for number in [SIGTERM, SIGINT, SIGHUP] {
      let handler = number == SIGHUP ? onHangUp : { signals.count() }
      guard let watcher = try? SignalWatcher(loop: loop, signal: number, handler: handler) else { continue }
      watchers.append(watcher)
    }
  }

  func close() {
    for watcher in watchers { watcher.close() }
    watchers = []
  }
}
