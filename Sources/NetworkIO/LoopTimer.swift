import CUV

/// Calls a handler once after a time, or again and again. Belongs to its loop's thread.
package final class LoopTimer: LoopHandle {
  private let handle: UnsafeMutablePointer<uv_timer_t>
  private let loop: EventLoop
  private var handler: (() -> Void)?
  private var isClosing = false

  /// Makes a timer that is not running. `handler` is kept until `close()`.
  package init(loop: EventLoop, handler: @escaping () -> Void) {
    self.loop = loop
    self.handler = handler
    handle = loop.makeHandle(of: uv_timer_t.self)
    uv_timer_init(loop.raw, handle)
    attach(to: handle)
  }

  /// Starts the timer, or starts it anew. Times count from `EventLoop.nowMilliseconds`; timers that are due in the
  /// same millisecond fire in the order of their starts.
  ///
  /// - Parameter period: Milliseconds between further calls; 0: one call only.
  package func start(afterMilliseconds delay: UInt64, repeatingEveryMilliseconds period: UInt64 = 0) {
    guard !isClosing else { return }
    assert(loop.isCurrent)
    uv_timer_start(handle, { LoopTimer.of($0).fire() }, delay, period)
  }

  /// Stops the timer; it may be started again. Allowed in its own handler.
  package func stop() {
    guard !isClosing else { return }
    assert(loop.isCurrent)
    uv_timer_stop(handle)
  }

  /// Stops the timer for good and lets go of the handler.
  package func close() {
    guard !isClosing else { return }
    assert(loop.isCurrent)
    isClosing = true
    handler = nil
    uv_close(base(handle)) { _ = LoopTimer.detach(from: $0) }
  }

  private func fire() {
    handler?()
  }
}
