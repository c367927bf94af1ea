import Storage
import StorageTestSupport

/// The stores that keep the contract.
enum StoreKind: CaseIterable, Sendable {
  case memory

  /// Runs `body` on an empty store, then closes it.
  func withStore(
    maximumPendingEventCount: Int = 200_000, _ body: (any EnergyStore) async throws -> Void
  ) async throws {
    switch self {
    case .memory:
      let store = InMemoryStore(maximumPendingEventCount: maximumPendingEventCount)
      try await body(store)
      await store.close()
    }
  }
}
