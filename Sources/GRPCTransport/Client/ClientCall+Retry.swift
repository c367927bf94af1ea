import GRPC

/// Further attempts (gRFC A6), as long as the answer has not begun and the whole request is there.
extension ClientCall {
  /// Whether the call goes on with another attempt, which is under way then.
  func willTryAgain(_ status: Status, _ pushback: ResponseHead.Pushback?, _ isUnprocessed: Bool) -> Bool {
    if isUnprocessed, canSendAgain, !channel.isShutDown, !flags.contains(.sentAnew) {
      // Whatever the policy, once: the server has not looked at it.
      flags.insert(.sentAnew)
      prepareAttempt()
      channel.enqueueFirst(self)
      return true
    }
    noteOutcome(status.code, pushback)
    guard let policy, policy.retryableCodes.contains(status.code), retryCount + 1 < policy.maximumAttemptCount,
      channel.throttle.allowsRetries, canSendAgain, !channel.isShutDown
    else { return false }
    switch pushback {
    case .never: return false
    case .wait(let milliseconds):
      backoffStep = 0
      tryAgain(afterMilliseconds: milliseconds)
    case nil:
      let delay = policy.backoffMilliseconds(retry: backoffStep, chance: channel.configuration.chance())
      backoffStep += 1
      tryAgain(afterMilliseconds: delay)
    }
    return true
  }

  private var policy: RetryPolicy? { options.retryPolicy ?? channel.configuration.retryPolicy }

  /// Counts for or against further attempts of all calls of the channel.
  func noteOutcome(_ code: StatusCode, _ pushback: ResponseHead.Pushback?) {
    guard let policy else { return }
    if policy.retryableCodes.contains(code) || pushback == .never {
      channel.throttle.attemptFailed()
    } else {
      channel.throttle.callEnded()
    }
  }

  private func tryAgain(afterMilliseconds delay: UInt64) {
    prepareAttempt()
    retryCount += 1
    let timer = channel.makeTimer { [weak self] in self?.backoffPassed() }
    phase = .backingOff(timer)
    channel.backsOff(self)
    timer.start(afterMilliseconds: delay)
  }

  private func backoffPassed() {
    guard case .backingOff(let timer) = phase else { return }
    timer.close()
    phase = .waiting
    channel.enqueue(self)
  }

  /// Leaves the stream of the attempt that has failed, and forgets what came of it.
  private func prepareAttempt() {
    leaveStream()
    phase = .waiting
    flags.subtract(.ofAttempt)
    request?.rewind()
    unreturnedByteCount = 0
    // The connection may have owed it.
    if !flags.contains(.halfClosed) { flags.insert(.waitsToSend) }
  }
}
