import Synchronization

/// Request bytes in memory for messages that are not complete, over all loops of a server (docs/architecture.md,
/// Limits).
final class ServerBudget: Sendable {
  let limit: Int
  private let used = Atomic(0)

  init(limit: Int) {
    self.limit = limit
  }

  var usedByteCount: Int { used.load(ordering: .relaxed) }
  var isExceeded: Bool { usedByteCount > limit }

  func add(_ byteCount: Int) {
    used.wrappingAdd(byteCount, ordering: .relaxed)
  }
}
