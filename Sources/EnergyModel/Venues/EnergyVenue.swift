package import FoundationEssentials

/// A physical site that uses or produces electricity: one home (Apple: `EnergyVenue`).
package struct EnergyVenue: Hashable, Sendable, Codable {
  package let id: UUID
  package var name: String
  /// The home's id in the caller's home system.
  package var homeID: UUID?
  /// IANA name, for example `America/Los_Angeles`.
  package var timeZone: String
  /// Grid region code that guidance is made for, for example `CISO`; empty where the venue has none.
  package var gridRegion: String
  /// The linked rate plan.
  package var ratePlanID: String?
  /// Whether the rate plan enters the ratings.
  package var incorporatesRatePlan: Bool
  /// Inside the contiguous United States.
  package var isRegionSupported: Bool
  package var isLocationServicesDenied: Bool
  package let createTime: Timestamp
  /// `nil` where the operator gave none. Never told to clients.
  package var location: VenueLocation?

  package init(
    id: UUID, name: String, homeID: UUID?, timeZone: String, gridRegion: String, ratePlanID: String?,
    incorporatesRatePlan: Bool, isRegionSupported: Bool, isLocationServicesDenied: Bool, createTime: Timestamp,
    location: VenueLocation? = nil
  ) {
    self.id = id
    self.name = name
    self.homeID = homeID
    self.timeZone = timeZone
    self.gridRegion = gridRegion
    self.ratePlanID = ratePlanID
    self.incorporatesRatePlan = incorporatesRatePlan
    self.isRegionSupported = isRegionSupported
    self.isLocationServicesDenied = isLocationServicesDenied
    self.createTime = createTime
    self.location = location
  }
}

/// What a client may do with a venue (docs/architecture.md, Callers).
package enum VenueAccess: UInt8, Hashable, Sendable, Codable {
  /// As if the venue did not exist.
  case none = 1
  case granted = 2
  /// The person declined: permissionDenied.
  case denied = 3
  /// A restricted guest: sees the venue, may not submit.
  case restricted = 4
}
