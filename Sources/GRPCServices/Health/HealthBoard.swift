internal import GRPC
internal import Locking

/// What each service's health is; one for all loops of a server (G-120). From any thread.
package final class HealthBoard: Sendable {
  /// `@unchecked Sendable`: `service` is used on `executor` only.
  private struct Loop: @unchecked Sendable {
    let executor: any CallExecutor
    weak var service: HealthService?

    /// Returns two turns later, when what was offered has been written as far as the sockets take it.
    func tellAll() async {
      await withCheckedContinuation { continuation in
        executor.execute {
          service?.changedAll()
          executor.afterTurn { executor.afterTurn { continuation.resume() } }
        }
      }
    }
  }

  private struct State {
    /// The server as a whole has the empty name.
    var statuses = ["": ServingStatus.serving]
    var isLeaving = false
    var loops: [Loop] = []
  }

  private let state = Lock(State())

  package init() {}

  /// `nil` where the service is not known.
  package func status(of service: String) -> ServingStatus? {
    state.withLock { $0.statuses[service] }
  }

  package var all: [String: ServingStatus] { state.withLock { $0.statuses } }

  /// Tells those who watch `service`, where this is news. Without effect after `leave`.
  package func set(_ status: ServingStatus, of service: String) {
    let loops = state.withLock { state -> [Loop] in
      guard !state.isLeaving, state.statuses[service] != status else { return [] }
      state.statuses[service] = status
      return state.loops
    }
    for loop in loops { loop.executor.execute { loop.service?.changed(service) } }
  }

  /// Everything is NOT_SERVING for good; returns when that is on its way to all who watch, so that it leaves before a
  /// GOAWAY that follows (G-104).
  package func leave() async {
    let loops = state.withLock { state -> [Loop] in
      state.isLeaving = true
      for service in state.statuses.keys { state.statuses[service] = .notServing }
      return state.loops
    }
    for loop in loops { await loop.tellAll() }
  }

  /// `services` serve from now on, where nothing else is known of them.
  func add(_ service: HealthService, of services: [String], on executor: any CallExecutor) {
    let loop = Loop(executor: executor, service: service)
    state.withLock { state in
      state.loops.append(loop)
      for service in services where state.statuses[service] == nil {
        state.statuses[service] = state.isLeaving ? .notServing : .serving
      }
    }
  }
}
