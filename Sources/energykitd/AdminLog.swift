import Diagnostics
import EnergyModel
import EnergyService

/// A line for each change that an operator makes: what, and of which client and venue. Names, places and keys are not in
/// it (docs/operating.md, The log).
struct AdminLog: Sendable {
  private let log: Log

  init(_ log: Log) { self.log = log }

  func report(_ change: AdminChange) {
    log.notice(
      "admin change",
      [
        "by": "operator", "method": LogValue(change.method), "client": LogValue(change.clientID?.text ?? ""),
        "venue": LogValue(change.venueID?.text ?? ""), "what": LogValue(change.what),
      ])
  }
}
