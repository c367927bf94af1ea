package import EnergyModel
internal import Glibc

/// The server's idea of now. No rule asks the system for the time: each takes a clock or a moment.
package struct ServiceClock: Sendable {
  private let read: @Sendable () -> Timestamp

  /// The system's time of day, moved by `offsetSeconds` (`--clock-offset`).
  package init(offsetSeconds: Int64 = 0) {
    read = { systemTime().advanced(bySeconds: offsetSeconds) }
  }

  /// Whatever `read` says; called from any thread.
  package init(_ read: @escaping @Sendable () -> Timestamp) {
    self.read = read
  }

  package var now: Timestamp { read() }
}

private func systemTime() -> Timestamp {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Timestamp(seconds: Int64(time.tv_sec)).advanced(byMilliseconds: Int64(time.tv_nsec) / 1_000_000)
}
