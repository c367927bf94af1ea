import CUV

/// Calls a handler on the loop's thread each time the process receives a signal. Belongs to its loop's thread.
package final class SignalWatcher: LoopHandle {
  private let handle: UnsafeMutablePointer<uv_signal_t>
  private let loop: EventLoop
  private var handler: (() -> Void)?
  private var isClosing = false

  /// Begins to watch. `handler` is kept until `close()`; signals that come faster than it runs may be told once.
  ///
  /// - Throws: `EINVAL` for what is no signal or cannot be caught.
  package init(loop: EventLoop, signal: CInt, handler: @escaping () -> Void) throws(NetworkError) {
    self.loop = loop
    self.handler = handler
    handle = loop.makeHandle(of: uv_signal_t.self)
    uv_signal_init(loop.raw, handle)
    do {
      try check(uv_signal_start(handle, { handle, _ in SignalWatcher.of(handle).receive() }, signal), "uv_signal_start")
    } catch {
      closeUnowned(handle)
      throw error
    }
    attach(to: handle)
  }

  /// Ends the watch; the signal has its former action again once nobody watches it.
  package func close() {
    guard !isClosing else { return }
    assert(loop.isCurrent)
    isClosing = true
    handler = nil
    uv_close(base(handle)) { _ = SignalWatcher.detach(from: $0) }
  }

  private func receive() {
    handler?()
  }
}
