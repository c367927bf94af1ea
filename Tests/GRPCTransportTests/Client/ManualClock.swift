import GRPCTransport
import Locking
import NetworkIO
import TestSupport

/// A clock that goes on when a test says so. Its timers are those of one loop.
///
/// `@unchecked Sendable`: everything but `started` is touched on the loop only.
final class ManualClock: ChannelClock, @unchecked Sendable {
  private final class Timer: ChannelTimer {
    unowned let clock: ManualClock
    let handler: () -> Void
    var due: UInt64?

    init(_ clock: ManualClock, _ handler: @escaping () -> Void) {
      self.clock = clock
      self.handler = handler
    }

    func start(afterMilliseconds delay: UInt64) {
      due = clock.now &+ delay
      clock.delays.withLock { $0.append(delay) }
    }

    func stop() { due = nil }

    func close() {
      due = nil
      clock.timers.removeAll { $0 === self }
    }
  }

  private var now: UInt64 = 1_000_000
  private var timers: [Timer] = []
  private let delays = Lock<[UInt64]>([])

  /// Of all timers started, in order.
  var started: [UInt64] { delays.withLock { $0 } }

  func nowMilliseconds(on loop: EventLoop) -> UInt64 { now }

  func makeTimer(on loop: EventLoop, _ handler: @escaping () -> Void) -> any ChannelTimer {
    let timer = Timer(self, handler)
    timers.append(timer)
    return timer
  }

  /// Goes on by `milliseconds` and fires what is due on the way, in order.
  func advance(_ milliseconds: UInt64, on loop: EventLoop) async throws {
    try await loop.run {
      let end = self.now + milliseconds
      while let timer = self.timers.filter({ ($0.due ?? .max) <= end }).min(by: { ($0.due ?? 0) < ($1.due ?? 0) }) {
        self.now = max(self.now, timer.due ?? 0)
        timer.due = nil
        timer.handler()
      }
      self.now = end
    }
  }
}
