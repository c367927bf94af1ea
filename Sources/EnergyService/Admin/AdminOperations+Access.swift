package import EnergyModel
package import FoundationEssentials
package import Storage

/// Part of a listing of access, and where it goes on.
package struct AccessPage: Sendable {
  package let entries: [VenueAccessEntry]
  /// `nil` at the end.
  package let next: AccessCursor?
}

extension AdminOperations {
  /// Calls by what was before have ended when this returns; streams end within a second.
  /// - Throws: `notFound` for an unknown venue or client.
  package func setAccess(
    _ access: VenueAccess, venueID: UUID, clientID: UUID
  ) async throws(AdminFailure) {
    try await change {
      guard try await store.venue(id: venueID) != nil else { throw AdminFailure.notFound(.venue(id: venueID.text)) }
      guard try await store.client(id: clientID) != nil else { throw AdminFailure.notFound(.client(id: clientID.text)) }
      try await store.setAccess(access, venueID: venueID, clientID: clientID)
      await tell(
        .access(clientID: clientID, venueID: venueID),
        AdminChange("SetVenueAccess", "\(access)", clientID: clientID, venueID: venueID))
    }
  }

  /// By venue, then client. Who has no access is not in it.
  /// - Throws: `notFound` for an unknown venue or client.
  package func venueAccess(
    venueID: UUID?, clientID: UUID?, after cursor: AccessCursor?, limit: Int
  ) async throws(AdminFailure) -> AccessPage {
    try await read {
      if let venueID, try await store.venue(id: venueID) == nil {
        throw AdminFailure.notFound(.venue(id: venueID.text))
      }
      if let clientID, try await store.client(id: clientID) == nil {
        throw AdminFailure.notFound(.client(id: clientID.text))
      }
      let found = try await store.venueAccess(venueID: venueID, clientID: clientID, after: cursor, limit: limit + 1)
      let entries = Array(found.prefix(limit))
      return AccessPage(entries: entries, next: found.count > limit ? entries.last?.cursor : nil)
    }
  }
}
