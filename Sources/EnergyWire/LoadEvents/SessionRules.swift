/// What becomes of power, energy and stage that the contract wants to be zero at the ends of a session
/// (docs/architecture.md, Load events; `--session-rules`).
package enum SessionRules: String, Hashable, Sendable, CaseIterable {
  /// Anything else is a fault.
  case strict
  /// Zero is stored instead, and the event is counted.
  case lenient
}
