import Glibc
import Locking

/// A thread for work that blocks: SQL, files, a year of insights. Never an event loop's business.
///
/// Runs one piece of work at a time, in the order in which they came. The thread ends once the last reference is gone
/// and all that was handed over has run.
package final class WorkerThread: TaskExecutor {
  private let inbox = Inbox()

  /// Stops the process where no thread can be had.
  package init() {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(inbox)
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Inbox>.fromOpaque(context).takeRetainedValue().runUntilStopped()
        return nil
      }, context.toOpaque())
    precondition(code == 0, "pthread_create failed with \(code)")
    pthread_detach(thread)
  }

  deinit { inbox.stop() }

  /// Runs `work` on the thread, some time after this call has returned or while it returns.
  package func run(_ work: @escaping @Sendable () -> Void) {
    inbox.append(work)
  }

  /// Runs `work` on the thread and suspends the caller until it has.
  package func value<Value: Sendable>(
    of work: @escaping @Sendable () throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
      run { continuation.resume(returning: Result(catching: work)) }
    }
    return try result.get()
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// What a worker thread has yet to do. The thread holds it, so that it may outlive the `WorkerThread`.
///
/// `@unchecked Sendable`: `pending` is locked and `signal`, a semaphore in a fixed allocation, is made to be shared.
private final class Inbox: @unchecked Sendable {
  private struct Pending {
    var work: [@Sendable () -> Void] = []
    var isStopped = false
  }

  private let pending = Lock(Pending())
  /// Posted where the list stops being empty, so that a busy thread costs its callers no system call.
  private let signal: UnsafeMutablePointer<sem_t>

  init() {
    signal = .allocate(capacity: 1)
    signal.initialize(to: sem_t())
    let code = sem_init(signal, 0, 0)
    precondition(code == 0, "sem_init failed")
  }

  deinit {
    sem_destroy(signal)
    signal.deallocate()
  }

  func append(_ work: @escaping @Sendable () -> Void) {
    let isFirst = pending.withLock { pending in
      pending.work.append(work)
      return pending.work.count == 1
    }
    if isFirst { sem_post(signal) }
  }

  func stop() {
    pending.withLock { $0.isStopped = true }
    sem_post(signal)
  }

  func runUntilStopped() {
    while true {
      let (work, isStopped) = pending.withLock { pending in
        defer { pending.work = [] }
        return (pending.work, pending.isStopped)
      }
      for work in work { work() }
      guard work.isEmpty else { continue }
      if isStopped { return }
      while sem_wait(signal) != 0 {}  // interrupted by a signal
    }
  }
}
