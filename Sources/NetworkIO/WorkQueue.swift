import Locking
import Synchronization

/// One thing to run on a loop.
enum LoopWork {
  case closure(() -> Void)
  case job(UnownedJob)
}

/// What waits to run on a loop: a list of the loop's own, and a shared one for the other threads.
///
/// Work runs in the order in which it was appended, as far as threads can tell: once something is in the shared list,
/// the loop's thread appends there too until the next batch is taken, and a batch is the own list, then the shared one.
///
/// `@unchecked Sendable`: `own`, `ownBatch` and `sharedBatch` are touched on the loop's thread only; the rest is
/// behind `shared` or atomic. Closures cross threads as `@Sendable` ones, `EventLoop.execute` sees to it.
final class WorkQueue: @unchecked Sendable {
  private struct Shared {
    var items: [LoopWork] = []
    var isFinished = false
  }

  private struct Transfer: @unchecked Sendable {
    let work: LoopWork
  }

  private let shared = Lock(Shared())
  private let hasShared = Atomic(false)
  private var own: [LoopWork] = []
  private var ownBatch: [LoopWork] = []
  private var sharedBatch: [LoopWork] = []

  /// Whether the loop's own list holds work. On the loop's thread.
  var hasOwn: Bool { !own.isEmpty }

  /// Appends from the loop's thread: no lock and no wake-up unless other threads' work waits before it.
  func appendFromLoop(_ work: LoopWork, wakeUp: () -> Void) {
    if hasShared.load(ordering: .acquiring) {
      appendFromElsewhere(work, wakeUp: wakeUp)
    } else {
      own.append(work)
    }
  }

  /// Appends from any thread. `wakeUp` is called for the first of many, under the lock, so that it never meets a loop
  /// whose handles are gone. Work that comes after `finish` is dropped.
  func appendFromElsewhere(_ work: LoopWork, wakeUp: () -> Void) {
    let transfer = Transfer(work: work)
    shared.withLock { shared in
      guard !shared.isFinished else { return }
      shared.items.append(transfer.work)
      if shared.items.count == 1 {
        hasShared.store(true, ordering: .releasing)
        wakeUp()
      }
    }
  }

  /// Calls `wakeUp` unless the loop has ended.
  func wake(_ wakeUp: () -> Void) {
    shared.withLock { if !$0.isFinished { wakeUp() } }
  }

  /// Runs what waits, and what that work appends, up to `rounds` times over. On the loop's thread.
  func drain(rounds: Int, _ run: (LoopWork) -> Void) {
    for _ in 0..<rounds {
      takeBatch()
      guard !ownBatch.isEmpty || !sharedBatch.isEmpty else { return }
      for work in ownBatch { run(work) }
      for work in sharedBatch { run(work) }
      ownBatch.removeAll(keepingCapacity: true)
      sharedBatch.removeAll(keepingCapacity: true)
    }
  }

  /// Ends the queue if nothing waits. On the loop's thread.
  func finish() -> Bool {
    guard own.isEmpty else { return false }
    return shared.withLock { shared in
      shared.isFinished = shared.items.isEmpty
      return shared.isFinished
    }
  }

  private func takeBatch() {
    swap(&own, &ownBatch)
    guard hasShared.load(ordering: .acquiring) else { return }
    shared.withLock { shared in
      swap(&shared.items, &sharedBatch)
      hasShared.store(false, ordering: .releasing)
    }
  }
}
