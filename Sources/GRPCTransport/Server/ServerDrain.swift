import GRPC

/// The end of a server on one loop (G-100...103): connections are told, calls at work may finish, streams that would stay
/// open are ended one by one over the time given, so that their clients do not all come back at once.
final class ServerDrain {
  let startMilliseconds: UInt64
  var completions: [@Sendable () -> Void] = []
  var isDone = false
  private var limitMilliseconds = UInt64.max

  /// What clients get to read the last frames, after the time given.
  private static let lastWordsMilliseconds: UInt64 = 500

  init(startMilliseconds: UInt64) {
    self.startMilliseconds = startMilliseconds
  }

  func limit(to milliseconds: UInt64) {
    limitMilliseconds = min(limitMilliseconds, milliseconds)
  }

  func goOn(_ connections: [ServerConnection], at now: UInt64) {
    for connection in connections { connection.drain(at: now) }
    if now >= limitMilliseconds + Self.lastWordsMilliseconds {
      for connection in connections { connection.close() }
    } else if now >= limitMilliseconds {
      for connection in connections { for call in connection.calls { call.finish(Self.shuttingDown) } }
    } else {
      endSome(of: connections, at: now)
    }
  }

  /// Ends as many of the streams as belong to the time that has passed: none in its first fifth, since some end by
  /// themselves; the last go at nine tenths of it.
  private func endSome(of connections: [ServerConnection], at now: UInt64) {
    guard now >= startMilliseconds + (limitMilliseconds - startMilliseconds) / 5 else { return }
    let streams = connections.flatMap { $0.calls }.filter { !$0.hasEnded && $0.isOpenEnded }
    guard !streams.isEmpty else { return }
    let end = startMilliseconds + (limitMilliseconds - startMilliseconds) / 10 * 9
    let left = end > now ? end - now : 0
    let steps = Int(left / 50) + 1
    for stream in streams.prefix((streams.count + steps - 1) / steps) { stream.finish(Self.shuttingDown) }
  }

  private static let shuttingDown = Status(.unavailable, "the server is shutting down")
}

extension ServerStream {
  /// Whether the call looks like one that does not end by itself: its answer has begun, and nothing of it waits.
  fileprivate var isOpenEnded: Bool {
    flags.contains(.headersSubmitted) && !flags.contains(.bodyActive)
  }
}
