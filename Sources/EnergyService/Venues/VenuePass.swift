package import EnergyModel
package import FoundationEssentials
package import Storage

/// What one client may do at one venue, with what its event loop remembers for the next call: token tags and the
/// tokens verified last. Belongs to the loop of the `AccessCache` it came from.
package final class VenuePass {
  package let venue: EnergyVenue
  package let clientID: UUID
  /// Never `none`.
  package let access: VenueAccess
  /// The loop's own notes about tokens of this client and venue.
  var tokenMemory = TokenMemory()

  package init(_ grant: VenueGrant, clientID: UUID) {
    venue = grant.venue
    access = grant.access
    self.clientID = clientID
  }

  /// The venue check of every call that names a venue (docs/architecture.md, Callers).
  /// - Throws: `permissionDenied` where the person declined, `venueUnavailable` where the venue is as if absent.
  package func checkVisible() throws(EnergyKitError) {
    switch access {
    case .granted, .restricted: break
    case .denied: throw .permissionDenied(.venue)
    case .none: throw .venueUnavailable
    }
  }
}

extension VenuePass? {
  /// The same for a pass that may be missing: absent and not accessible are not told apart.
  package func visible() throws(EnergyKitError) -> VenuePass {
    guard let pass = self else { throw .venueUnavailable }
    try pass.checkVisible()
    return pass
  }
}
