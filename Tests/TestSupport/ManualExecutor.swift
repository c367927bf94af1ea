import GRPC
import Glibc
import Locking

/// An executor without a thread of its own: the thread that calls `run` is its thread meanwhile, so that a test decides
/// what happens when.
///
/// `@unchecked Sendable`: `waiting` and `runner` guard themselves; `nowMilliseconds` is the test's.
package final class ManualExecutor: CallExecutor, @unchecked Sendable {
  private enum Work: @unchecked Sendable {
    case closure(@Sendable () -> Void)
    case job(UnownedJob)
  }

  private let waiting = Lock<[Work]>([])
  private let runner = Lock<pthread_t?>(nil)
  package var nowMilliseconds: UInt64 = 0

  package init() {}

  package var isCurrent: Bool {
    runner.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  package func execute(_ work: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.append(.closure(work)) }
  }

  package func afterTurn(_ work: @escaping () -> Void) {
    let transfer = Transfer(work: work)
    execute { transfer.work() }
  }

  /// `@unchecked Sendable`: made and run on the executor.
  private struct Transfer: @unchecked Sendable {
    let work: () -> Void
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    waiting.withLock { $0.append(.job(job)) }
  }

  /// Runs `body` on the executor, then all the work that waits and what that brings.
  package func run<Result>(_ body: () -> Result) -> Result {
    let thread = pthread_self()
    let previous = runner.withLock { runner in
      defer { runner = thread }
      return runner
    }
    defer { runner.withLock { $0 = previous } }
    let result = body()
    while let work = next() { perform(work) }
    return result
  }

  private func next() -> Work? {
    waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }

  private func perform(_ work: Work) {
    switch work {
    case .closure(let body): body()
    case .job(let job):
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
