import Synchronization

extension Log {
  /// How much an entry matters. The raw value's order is the order of the levels.
  package enum Level: UInt8, Sendable, CaseIterable, Comparable, AtomicRepresentable {
    /// For whoever looks into one case.
    case debug
    /// What goes on in normal work.
    case info
    /// What an operator wants to see always: started, reloaded, draining.
    case notice
    /// Something is wrong, and was dealt with.
    case warning
    /// Something was lost or does not work.
    case error

    /// Reads the names as the command line gives them, such as `warning`.
    package init?(_ name: String) {
      guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = level
    }

    package var name: String {
      switch self {
      case .debug: "debug"
      case .info: "info"
      case .notice: "notice"
      case .warning: "warning"
      case .error: "error"
      }
    }

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }
}
