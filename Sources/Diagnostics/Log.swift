import Glibc
import Locking
import Synchronization

/// Writes what happened, one line for each entry: a constant message, facts as fields.
///
/// The log says who, what and how it ended, nothing of the content (docs/architecture.md, Privacy); it hides nothing by
/// itself, so a secret, a venue or a device must never be made a field.
///
/// A line is one write(2), so that lines of several processes on one descriptor stay whole, and no value can end it:
/// characters that control a terminal or break a line are escaped. What the descriptor does not take is dropped.
package final class Log: Sendable {
  package typealias Fields = KeyValuePairs<StaticString, LogValue>

  package enum Format: String, Sendable, CaseIterable {
    /// `2026-05-01T12:00:00.000Z notice listening address=127.0.0.1:50051`
    case text
    /// `{"time":"2026-05-01T12:00:00.000Z","level":"notice","message":"listening","address":"127.0.0.1:50051"}`
    case json
  }

  private let format: Format
  private let currentLevel: Atomic<Level>
  private let now: @Sendable () -> Int64
  private let output: Lock<CInt>

  /// - Parameter descriptor: Where lines go; standard error unless a test says otherwise. It stays the caller's.
  /// - Parameter now: Milliseconds since 1970; a test's clock.
  package init(
    level: Level = .info, format: Format = .text, descriptor: CInt = STDERR_FILENO,
    now: @escaping @Sendable () -> Int64 = Log.systemTime
  ) {
    self.format = format
    self.now = now
    currentLevel = Atomic(level)
    output = Lock(descriptor)
  }

  /// The least level that is written; may be changed at any time, from any thread.
  package var level: Level {
    get { currentLevel.load(ordering: .relaxed) }
    set { currentLevel.store(newValue, ordering: .relaxed) }
  }

  package func debug(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
    write(.debug, message, fields)
  }

  package func info(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
    write(.info, message, fields)
  }

  package func notice(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
    write(.notice, message, fields)
  }

  package func warning(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
    write(.warning, message, fields)
  }

  package func error(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
    write(.error, message, fields)
  }

  private func write(_ level: Level, _ message: StaticString, _ fields: () -> Fields) {
    guard level >= self.level else { return }
    var line = LogLine(format: format)
    line.begin(time: now(), level: level, message: message)
    for (key, value) in fields() { line.add(key, value) }
    line.end()
    output.withLock { line.write(to: $0) }
  }

  /// The system's clock, in milliseconds since 1970.
  package static let systemTime: @Sendable () -> Int64 = {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
