/// The task of one call: starts the handler, ends the call as the handler ends, cancels the handler as the call ends.
///
/// `@unchecked Sendable`: all but `call`, which is immutable, belongs to the call's executor. The task prefers that
/// executor, so the members that it uses run there; what may come from elsewhere (cancellation of a child task) goes
/// through `execute`.
final class CallTask: CallObserver, @unchecked Sendable {
  let call: any ServerCall
  private let onFailure: (any Error) -> Void
  private var task: Task<Void, Never>?
  private var requests: (any RequestSource)?
  private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter: UInt64 = 0

  /// - Parameter onFailure: Told of errors that are no `Status`, which the client does not get to see (G-073).
  init(_ call: any ServerCall, requests: (any RequestSource)? = nil, onFailure: @escaping (any Error) -> Void) {
    self.call = call
    self.requests = requests
    self.onFailure = onFailure
  }

  /// Runs `handler` until it first suspends, then on the call's executor.
  func run(_ handler: @escaping () async throws -> Void) {
    // The closure is not Sendable since it holds what belongs to the executor; it is on that executor now, and the task
    // that is its only user stays there.
    nonisolated(unsafe) let handler = handler
    let task = Task.immediate(executorPreference: call.executor) {
      do {
        try await handler()
        self.ended(.ok)
      } catch {
        self.ended(self.status(of: error))
      }
    }
    if call.hasEnded { task.cancel() } else { self.task = task }
  }

  private func ended(_ status: Status) {
    assert(call.executor.isCurrent)
    task = nil
    call.finish(status)
  }

  /// A thrown `Status` is the call's; of any other error the client learns nothing (G-073).
  private func status(of error: any Error) -> Status {
    if let status = error as? Status { return status }
    if !(call.hasEnded && error is CancellationError) { onFailure(error) }
    return Status(.unknown, "the method failed")
  }

  // MARK: - Sending

  /// The look at the buffer and the sending must not be parted by an `await`: two writers would both find room.
  func send(_ message: some OutgoingMessage) async throws(CancellationError) {
    assert(call.executor.isCurrent)
    while !call.hasEnded {
      if call.bufferedByteCount <= CallLimits.bufferedBytes {
        call.send(message)
        return
      }
      if Task.isCancelled { break }
      await waitForNews()
    }
    throw CancellationError()
  }

  /// Waits until the call ends, can send or the waiting task is cancelled.
  private func waitForNews() async {
    lastWaiter += 1
    let id = lastWaiter
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiters[id] = $0 }
    } onCancel: {
      call.executor.execute { self.waiters.removeValue(forKey: id)?.resume() }
    }
  }

  private func wakeWaiters() {
    let due = waiters
    waiters = [:]
    for waiter in due.values { waiter.resume() }
  }

  // MARK: - CallObserver

  func callEnded(_ call: any ServerCall, _ end: CallEnd) {
    task?.cancel()
    task = nil
    requests?.callEnded()
    requests = nil
    wakeWaiters()
  }

  func callCanSend(_ call: any ServerCall) {
    wakeWaiters()
  }
}

/// The requests of a call, as far as its end concerns them.
protocol RequestSource: AnyObject {
  func callEnded()
}
