package import NetworkIO

/// Where a channel gets its time from, so that tests can do without waiting.
package protocol ChannelClock: Sendable {
  /// Milliseconds; never goes back. On the loop.
  func nowMilliseconds(on loop: EventLoop) -> UInt64
  /// A timer that is not running. On the loop.
  func makeTimer(on loop: EventLoop, _ handler: @escaping () -> Void) -> any ChannelTimer
}

/// Calls its handler once after a time. On the loop.
package protocol ChannelTimer: AnyObject {
  /// Starts the timer, or starts it anew.
  func start(afterMilliseconds delay: UInt64)
  func stop()
  /// Stops it for good and lets go of the handler.
  func close()
}

/// The loop's own clock.
package struct LoopClock: ChannelClock {
  package init() {}

  package func nowMilliseconds(on loop: EventLoop) -> UInt64 { loop.nowMilliseconds }

  package func makeTimer(on loop: EventLoop, _ handler: @escaping () -> Void) -> any ChannelTimer {
    LoopClockTimer(LoopTimer(loop: loop, handler: handler))
  }
}

private final class LoopClockTimer: ChannelTimer {
  private let timer: LoopTimer

  init(_ timer: LoopTimer) { self.timer = timer }

  func start(afterMilliseconds delay: UInt64) { timer.start(afterMilliseconds: delay) }
  func stop() { timer.stop() }
  func close() { timer.close() }
}
