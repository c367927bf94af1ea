internal import Locking

/// Lets one change at a time read, decide and write, in the order of the calls.
final class ChangeTurn: Sendable {
  private struct State {
    var isTaken = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    await take()
    defer { pass() }
    return try await body()
  }

  private func take() async {
    await withCheckedContinuation { continuation in
      let isMine = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        state.waiters.append(continuation)
        return false
      }
      if isMine { continuation.resume() }
    }
  }

  private func pass() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiters.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiters.removeFirst()
    }
    next?.resume()
  }
}
