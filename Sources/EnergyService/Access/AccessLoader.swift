package import EnergyModel
package import FoundationEssentials
package import Storage

/// Reads from the store what the access caches keep. For where there is no loop, and for the caches themselves.
package struct AccessLoader: Sendable {
  private let store: any EnergyStore
  private let budgets: ClientBudgets?

  /// - Parameter budgets: `nil` where nothing is limited.
  package init(store: any EnergyStore, budgets: ClientBudgets? = nil) {
    self.store = store
    self.budgets = budgets
  }

  /// `nil` for an unknown client or key and for a disabled client alike. Whether the key has ended is for the caller to
  /// see.
  ///
  /// - Parameter epoch: The asking cache's.
  /// - Throws: `serviceUnavailable` where the store fails.
  package func caller(_ credential: Credential, epoch: UInt64 = 0) async throws(EnergyKitError) -> Caller? {
    do {
      guard let owner = try await owner(of: credential), !owner.client.isDisabled else { return nil }
      return Caller(
        owner.client, credential: credential, keyEndTime: owner.endTime, epoch: epoch,
        budget: budgets?.budget(of: owner.client.id) ?? .unlimited)
    } catch {
      throw EnergyKitError(error)
    }
  }

  private func owner(of credential: Credential) async throws(StoreError) -> KeyOwner? {
    switch credential {
    case .key(let hash): try await store.keyOwner(hash.bytes)
    case .certificate(let clientID): try await store.client(id: clientID).map { KeyOwner(client: $0, endTime: nil) }
    }
  }

  /// `nil` for an absent venue and for one without access alike.
  /// - Throws: `serviceUnavailable` where the store fails.
  package func grant(clientID: UUID, venueID: UUID) async throws(EnergyKitError) -> VenueGrant? {
    do {
      return try await store.venue(id: venueID, clientID: clientID)
    } catch {
      throw EnergyKitError(error)
    }
  }
}
