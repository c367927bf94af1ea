import GRPC
import NetworkIO

/// The connection: made, lost, made again (gRPC, "Connection Backoff Protocol").
extension ClientChannel {
  /// On the loop.
  package var connectivity: Connectivity {
    check()
    return state.connectivity
  }

  /// Connects without a call. Nothing where the channel is connecting already, or waits to do so. On the loop.
  package func connect() {
    check()
    connectIfIdle()
  }

  var isShutDown: Bool {
    switch state {
    case .idle, .connecting, .ready, .transientFailure: false
    case .shutdown: true
    }
  }

  func connectIfIdle() {
    switch state {
    case .idle: startAttempt()
    case .connecting, .ready, .transientFailure, .shutdown: break
    }
  }

  private func startAttempt() {
    let attempt = ConnectionAttempt(self)
    state = .connecting(attempt)
    attempt.start()
  }

  // MARK: - What attempts say

  func attemptSucceeded(_ connection: ClientConnection) {
    switch state {
    case .connecting: break
    case .idle, .ready, .transientFailure, .shutdown: return connection.drain()
    }
    backoff.reset()
    lastFailure = nil
    state = .ready(connection)
    connection.markDirty()
  }

  /// Calls that do not want to wait fail; the others wait for the next attempt.
  func attemptFailed(_ attempt: ConnectionAttempt, _ status: Status) {
    guard case .connecting(let present) = state, present === attempt else { return }
    fail(status, since: attempt.startMilliseconds)
  }

  private func fail(_ status: Status, since startMilliseconds: UInt64) {
    lastFailure = status
    state = .transientFailure(status)
    let pause = backoff.next(chance: configuration.chance())
    let passed = now - startMilliseconds
    let timer = backoffTimer ?? makeTimer { [weak self] in self?.backoffPassed() }
    backoffTimer = timer
    timer.start(afterMilliseconds: pause > passed ? pause - passed : 0)
    for call in unopenedCalls where call.flags.contains(.queued) && !call.options.waitsForReady {
      endSoon(call, status)
    }
  }

  private func backoffPassed() {
    guard case .transientFailure = state else { return }
    if hasWaitingCalls { startAttempt() } else { state = .idle }
  }

  // MARK: - What connections say

  /// The server takes no more calls on a connection; the next call makes another one.
  func connectionDrains(_ connection: ClientConnection) {
    if !draining.contains(where: { $0 === connection }) { draining.append(connection) }
    leave(connection)
  }

  func connectionClosed(_ connection: ClientConnection, _ status: Status) {
    draining.removeAll { $0 === connection }
    leave(connection)
    finishShutdownIfDone()
  }

  private func leave(_ connection: ClientConnection) {
    guard case .ready(let present) = state, present === connection else { return }
    state = .idle
    guard hasWaitingCalls else { return }
    if connection.hasCarriedCalls {
      startAttempt()
    } else {
      // A server that sends everybody away at once: not to be asked again and again without a pause.
      fail(Status(.unavailable, "\(connection.address) takes no calls"), since: now)
    }
  }

  /// The server has found our PINGs too many: from the next connection on there are half as many (gRFC A8).
  func slowKeepalive() {
    guard var slower = keepalive else { return }
    let (doubled, overflows) = slower.timeMilliseconds.multipliedReportingOverflow(by: 2)
    slower.timeMilliseconds = overflows ? .max : doubled
    keepalive = slower
  }

  // MARK: - End

  /// Ends the channel: new calls and those that wait fail, those that are open may finish within the time given, and fail
  /// with UNAVAILABLE then. Returns when the last connection is gone. From anywhere; a second call with a shorter time
  /// hurries the first.
  package func shutdown(graceMilliseconds: UInt64 = 0) async {
    await withCheckedContinuation { continuation in
      loop.execute { self.shutDown(graceMilliseconds: graceMilliseconds) { continuation.resume() } }
    }
  }

  /// As the `async` form; on the loop.
  package func shutDown(graceMilliseconds: UInt64, completion: @escaping @Sendable () -> Void) {
    check()
    shutdownCompletions.append(completion)
    let before = state
    state = .shutdown
    switch before {
    case .idle, .transientFailure, .shutdown: break
    case .connecting(let attempt): attempt.cancel()
    case .ready(let connection):
      draining.append(connection)
      connection.drain()
    }
    backoffTimer?.close()
    backoffTimer = nil
    for call in unopenedCalls { call.end(.channelShutDown) }
    for connection in draining { connection.drain() }
    let timer = makeTimer { [weak self] in self?.graceOver() }
    shutdownTimer?.close()
    shutdownTimer = timer
    if graceMilliseconds == 0 { graceOver() } else { timer.start(afterMilliseconds: graceMilliseconds) }
    finishShutdownIfDone()
  }

  private func graceOver() {
    for connection in draining {
      for call in connection.calls { call.end(.channelShutDown) }
      connection.finish()
    }
  }

  private func finishShutdownIfDone() {
    guard case .shutdown = state, draining.isEmpty else { return }
    closeDeadlineTimer()
    shutdownTimer?.close()
    shutdownTimer = nil
    let completions = shutdownCompletions
    shutdownCompletions = []
    for completion in completions { completion() }
  }
}
