import Diagnostics
import TLS

/// Logs why TLS connections have failed: the first at once, then at most one line a second, since anyone can cause them.
final class SecurityProblemLog: Sendable {
  private let log: Log
  private let pace = ProblemPace()

  init(_ log: Log) { self.log = log }

  @Sendable func report(_ peer: String, _ error: TLSError) {
    guard let count = pace.count() else { return }
    log.info(
      "a TLS connection has failed",
      ["peer": LogValue(peer), "reason": LogValue(error.description), "connections": LogValue(count)])
  }
}
