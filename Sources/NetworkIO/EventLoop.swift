import CUV
import Glibc
import Synchronization

/// Told at the end of a turn of an event loop, to write once what many callbacks have produced.
package protocol TurnEndObserver: AnyObject {
  /// Called on the loop's thread once for each `EventLoop.atTurnEnd`.
  func turnEnded()
}

/// A libuv loop and the one thread that runs it: an executor for actors and for tasks.
///
/// A turn is: due timers, what the kernel reports (reads, writes, connections, signals), work (`execute`, jobs of
/// tasks), then the turn-end observers. Callbacks and work never run inside the call that caused them.
///
/// Whoever makes a loop must `stop()` it; until then its thread keeps it alive.
///
/// `@unchecked Sendable`: `raw` and the handles in `core`, `observers`, `dueObservers` and `readBuffer` belong to the
/// loop's thread (before it starts, to `init`), except that `core.wakeUp` may be sent to by any thread while the queue
/// says that the loop has not ended; the rest is immutable, atomic or guards itself.
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  /// Bytes that a stream hands on at most at once; less means that the kernel had no more at that moment.
  package static let readByteCount = 64 << 10

  /// One block for reading that all streams of the loop share: a read is handed on before the next one starts.
  let readBuffer: UnsafeMutableRawBufferPointer

  private let core: LoopCore
  private let queue = WorkQueue()
  private let threadKey: ThreadKey
  private let stopRequested = Atomic(false)
  private let handleCount = Atomic(0)
  private var thread: LoopThread?
  private var observers: [any TurnEndObserver] = []
  private var dueObservers: [any TurnEndObserver] = []

  /// Work that appends more work runs this many times over before the kernel is asked again.
  private static let roundsPerTurn = 8

  /// Makes the loop and starts its thread.
  ///
  /// - Parameter name: The thread's name, for debuggers; cut to 15 bytes.
  /// - Throws: where the process is short of descriptors, memory or threads.
  package init(name: String) throws(NetworkError) {
    Self.ignoreBrokenPipes()
    core = try LoopCore()
    threadKey = ThreadKey.loop
    readBuffer = .allocate(byteCount: Self.readByteCount, alignment: 64)
    core.raw.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    uv_prepare_start(core.beforePoll) { EventLoop.of($0).willPoll() }
    uv_check_start(core.afterPoll) { EventLoop.of($0).didPoll() }
    do {
      thread = try LoopThread(name: name) { self.run() }
    } catch {
      core.closeHandles()
      core.run()
      throw error
    }
  }

  deinit {
    readBuffer.deallocate()
  }

  /// Makes a write to a connection that the peer has closed an error (EPIPE) instead of the end of the process.
  /// Done by the first loop; a program that has set its own action for SIGPIPE keeps it.
  package static func ignoreBrokenPipes() {
    brokenPipesIgnored
  }

  private static let brokenPipesIgnored: Void = {
    var current = sigaction()
    sigaction(SIGPIPE, nil, &current)
    if current.__sigaction_handler.sa_handler == nil { signal(SIGPIPE, SIG_IGN) }
  }()

  // MARK: - Work

  /// Whether the calling thread is the loop's.
  package var isCurrent: Bool {
    threadKey.value == UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Runs `work` on the loop's thread, in the order of the calls, never within this call. From any thread.
  /// After the loop has ended `work` is dropped.
  package func execute(_ work: @escaping @Sendable () -> Void) {
    append(.closure(work))
  }

  /// As `execute`, for work that stays on the loop's thread.
  func executeLater(_ work: @escaping () -> Void) {
    assert(isCurrent)
    append(.closure(work))
  }

  /// Milliseconds on a clock that never goes back; cached once per turn. On the loop's thread only.
  package var nowMilliseconds: UInt64 {
    assert(isCurrent)
    return uv_now(core.raw)
  }

  /// Has `observer.turnEnded()` called once, when this turn has done all else; `observer` is kept alive until then.
  /// Asked for within `turnEnded()`, it is the next turn's end, which comes without waiting. On the loop's thread only.
  package func atTurnEnd(_ observer: any TurnEndObserver) {
    assert(isCurrent)
    observers.append(observer)
  }

  private func append(_ work: LoopWork) {
    if isCurrent {
      queue.appendFromLoop(work) { core.wake() }
    } else {
      queue.appendFromElsewhere(work) { core.wake() }
    }
  }

  // MARK: - Executor

  /// A job that comes after the loop has ended is dropped: its task never goes on.
  package func enqueue(_ job: consuming ExecutorJob) {
    append(.job(UnownedJob(job)))
  }

  package func checkIsolated() {
    precondition(isCurrent, "this code belongs to the thread of an event loop, and runs on another")
  }

  package func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  // MARK: - End

  /// Handles (streams, listeners, timers, signal watchers) made and not yet freed. From any thread.
  package var openHandleCount: Int { handleCount.load(ordering: .relaxed) }

  /// Closes all handles, runs the work that waits, ends the thread and waits for its end. From any thread; on the
  /// loop's own it only begins. Once is enough, more is harmless.
  package func stop() {
    if stopRequested.exchange(true, ordering: .acquiringAndReleasing) == false {
      queue.wake { core.wake() }
    }
    if !isCurrent { thread?.join() }
  }

  func handleMade() {
    handleCount.wrappingAdd(1, ordering: .relaxed)
  }

  func handleFreed() {
    handleCount.wrappingSubtract(1, ordering: .relaxed)
  }

  /// libuv's loop, to make handles on. On the loop's thread only.
  var raw: UnsafeMutablePointer<uv_loop_t> {
    assert(isCurrent)
    return core.raw
  }

  /// The loop that a handle was made on; within a callback of that handle.
  static func of<Handle>(_ handle: UnsafeMutablePointer<Handle>?) -> EventLoop {
    let raw = UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: uv_handle_t.self)
    guard let context = raw?.pointee.loop.pointee.data else { preconditionFailure("libuv lost the loop of a handle") }
    return Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
  }

  // MARK: - Turns

  private func run() {
    threadKey.value = Unmanaged.passUnretained(self).toOpaque()
    core.run()
    threadKey.value = nil
  }

  /// After the timers, before the loop waits for the kernel.
  private func willPoll() {
    endTurn()
    core.keepAwake(queue.hasOwn || !observers.isEmpty || stopRequested.load(ordering: .acquiring))
  }

  private func didPoll() {
    endTurn()
  }

  private func endTurn() {
    queue.drain(rounds: Self.roundsPerTurn) { run($0) }
    if !observers.isEmpty { callObservers() }
    if stopRequested.load(ordering: .acquiring) { goOnStopping() }
  }

  private func run(_ work: LoopWork) {
    switch work {
    case .closure(let body): body()
    case .job(let job):
      // Not `isolatedTo:`: isolated code may not run on into a function without isolation, so that every call of an
      // `async` function, and every return, would cost a job.
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  private func callObservers() {
    swap(&observers, &dueObservers)
    for observer in dueObservers { observer.turnEnded() }
    dueObservers.removeAll(keepingCapacity: true)
  }

  /// Closing runs callbacks and those may make work and handles, hence turn after turn until nothing is left.
  private func goOnStopping() {
    core.closeUserHandles()
    guard openHandleCount == 0, observers.isEmpty, queue.finish() else { return }
    core.closeHandles()
  }
}
