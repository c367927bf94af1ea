import Synchronization

/// Calls of the methods that wait, over all loops: what the tests need to see from outside.
final class EchoCounters: Sendable {
  let started = Atomic(0)
  let ended = Atomic(0)
  let cancelled = Atomic(0)
  let received = Atomic(0)

  func countReceived() {
    received.wrappingAdd(1, ordering: .relaxed)
  }

  /// Runs `body` as one counted call.
  func counting<Result>(_ body: () async throws -> Result) async throws -> Result {
    started.wrappingAdd(1, ordering: .relaxed)
    defer {
      if Task.isCancelled { cancelled.wrappingAdd(1, ordering: .relaxed) }
      ended.wrappingAdd(1, ordering: .relaxed)
    }
    return try await body()
  }

  var text: String {
    let started = started.load(ordering: .relaxed)
    let ended = ended.load(ordering: .relaxed)
    return """
      {"started": \(started), "active": \(started - ended), \
      "cancelled": \(cancelled.load(ordering: .relaxed)), "received": \(received.load(ordering: .relaxed))}
      """
  }
}
