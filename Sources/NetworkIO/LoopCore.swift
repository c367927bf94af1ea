import CUV
import Glibc

/// A libuv loop and the handles that every loop has: one to wake it, two that mark its turns, one that keeps it from
/// waiting. Freed with the object, when the loop has run to its end.
final class LoopCore {
  let raw: UnsafeMutablePointer<uv_loop_t>
  /// Called after the timers, before the loop waits for the kernel.
  let beforePoll: UnsafeMutablePointer<uv_prepare_t>
  /// Called when what the kernel reported has been handled.
  let afterPoll: UnsafeMutablePointer<uv_check_t>
  private let wakeUp: UnsafeMutablePointer<uv_async_t>
  private let busy: UnsafeMutablePointer<uv_idle_t>
  private var isClosed = false

  init() throws(NetworkError) {
    raw = .allocate(capacity: 1)
    beforePoll = .allocate(capacity: 1)
    afterPoll = .allocate(capacity: 1)
    wakeUp = .allocate(capacity: 1)
    busy = .allocate(capacity: 1)
    raw.initialize(to: uv_loop_t())
    try check(uv_loop_init(raw), "uv_loop_init")
    do throws(NetworkError) {
      // Before any other handle is made, so that a failure leaves none.
      try check(uv_async_init(raw, wakeUp) { _ in }, "uv_async_init")
    } catch {
      uv_loop_close(raw)
      throw error
    }
    // These three cannot fail.
    uv_prepare_init(raw, beforePoll)
    uv_check_init(raw, afterPoll)
    uv_idle_init(raw, busy)
    for handle in [handle(wakeUp), handle(beforePoll), handle(afterPoll), handle(busy)] { handle.pointee.data = nil }
  }

  deinit {
    wakeUp.deallocate()
    beforePoll.deallocate()
    afterPoll.deallocate()
    busy.deallocate()
    raw.deallocate()
  }

  /// From any thread, while the handles are not closed. Many calls make one wake-up.
  func wake() {
    uv_async_send(wakeUp)
  }

  /// Whether the loop asks the kernel without waiting.
  func keepAwake(_ isBusy: Bool) {
    guard !isClosed else { return }
    if isBusy {
      uv_idle_start(busy) { _ in }
    } else {
      uv_idle_stop(busy)
    }
  }

  /// Closes everything but the loop's own handles.
  func closeUserHandles() {
    uv_walk(raw, { handle, _ in closeOwner(of: handle) }, nil)
  }

  /// Runs turns until `closeHandles` was called and has taken effect.
  func run() {
    uv_run(raw, UV_RUN_DEFAULT)
    let code = uv_loop_close(raw)
    precondition(code == 0, "an event loop ended with handles open")
  }

  /// Closes the loop's own handles, after which `run` comes to its end.
  func closeHandles() {
    guard !isClosed else { return }
    isClosed = true
    for handle in [handle(wakeUp), handle(beforePoll), handle(afterPoll), handle(busy)] { uv_close(handle, nil) }
  }

  private func handle<Handle>(_ pointer: UnsafeMutablePointer<Handle>) -> UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: uv_handle_t.self)
  }
}

/// The calling thread's loop, as an address to compare with.
struct ThreadKey: Sendable {
  private let key: pthread_key_t

  static let loop = ThreadKey()

  private init() {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    precondition(code == 0, "pthread_key_create failed with \(code)")
    self.key = key
  }

  var value: UnsafeMutableRawPointer? {
    get { pthread_getspecific(key) }
    nonmutating set { pthread_setspecific(key, newValue) }
  }
}
