import SQLiteStorage
import Storage
import StorageTestSupport

/// The stores that keep the contract.
enum StoreKind: CaseIterable, Sendable {
  case memory
  case sqlite

  /// Runs `body` on an empty store, then closes it.
  func withStore(
    maximumPendingEventCount: Int = 200_000, _ body: (any EnergyStore) async throws -> Void
  ) async throws {
    switch self {
    case .memory:
      let store = InMemoryStore(maximumPendingEventCount: maximumPendingEventCount)
      try await body(store)
      await store.close()
    case .sqlite:
      try await withTemporaryDirectory { directory in
        var options = SQLiteStore.Options()
        options.maximumPendingEventCount = maximumPendingEventCount
        let store = try SQLiteStore(directory: directory, options: options)
        try await body(store)
        await store.close()
      }
    }
  }
}
