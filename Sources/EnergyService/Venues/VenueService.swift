package import EnergyModel
package import FoundationEssentials
package import Storage

/// EnergyVenueService without its messages. All calls need the entitlement `energyKit`.
package struct VenueService: Sendable {
  private let store: any EnergyStore

  package init(store: any EnergyStore) {
    self.store = store
  }

  /// The venues that the caller may see (granted, restricted), by name, then id.
  /// - Throws: `permissionDenied`, `serviceUnavailable`.
  package func list(
    as caller: Caller, after cursor: NameCursor?, limit: Int
  ) async throws(EnergyKitError) -> Page<EnergyVenue> {
    try caller.require(.energyKit)
    do {
      // One more than asked for tells whether there is a next page.
      let venues = try await store.venues(clientID: caller.id, after: cursor, limit: limit + 1)
      return Page(venues, limit: limit) { NameCursor(name: $0.name, id: $0.id) }
    } catch {
      throw EnergyKitError(error)
    }
  }

  /// What the caller may do at the venue linked to a home of the caller's home system.
  /// - Throws: `permissionDenied` without the entitlement, `serviceUnavailable`.
  package func pass(homeID: UUID, as caller: Caller) async throws(EnergyKitError) -> VenuePass? {
    try caller.require(.energyKit)
    let grant: VenueGrant?
    do {
      grant = try await store.venue(homeID: homeID, clientID: caller.id)
    } catch {
      throw EnergyKitError(error)
    }
    return grant.map { VenuePass($0, clientID: caller.id) }
  }

  /// The venue under its own id, by what the loop's cache knows of it: `nil` where it is absent to the caller.
  /// - Throws: `permissionDenied`, `venueUnavailable`.
  package func venue(_ pass: VenuePass?, as caller: Caller) throws(EnergyKitError) -> EnergyVenue {
    try caller.require(.energyKit)
    return try pass.visible().venue
  }
}
