package import EnergyModel
package import FoundationEssentials
package import Storage

/// Reads from the store what the access caches keep. For where there is no loop, and for the caches themselves.
package struct AccessLoader: Sendable {
  private let store: any EnergyStore

  package init(store: any EnergyStore) {
    self.store = store
  }

  /// `nil` for an unknown key and for a disabled client alike.
  /// - Throws: `serviceUnavailable` where the store fails.
  package func caller(_ hash: KeyHash) async throws(EnergyKitError) -> Caller? {
    do {
      guard let client = try await store.client(keyHash: hash.bytes), !client.isDisabled else { return nil }
      return Caller(client)
    } catch {
      throw EnergyKitError(error)
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
