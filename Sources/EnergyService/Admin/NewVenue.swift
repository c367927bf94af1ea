package import EnergyModel
package import FoundationEssentials

/// A venue as the operator describes it.
package struct NewVenue: Hashable, Sendable {
  package var name: String
  package var homeID: UUID?
  /// Decides whether the region is supported; what is left empty follows from it. `nil`: nothing follows.
  package var point: GeoPoint?
  /// IANA name; empty: from the place.
  package var timeZone: String
  /// Empty: from the place.
  package var gridRegion: String
  package var ratePlanID: String?
  package var incorporatesRatePlan: Bool
  /// Inside the contiguous United States.
  package var isRegionSupported: Bool
  package var isLocationServicesDenied: Bool

  package init(
    name: String, homeID: UUID? = nil, point: GeoPoint? = nil, timeZone: String, gridRegion: String,
    ratePlanID: String? = nil,
    incorporatesRatePlan: Bool = true, isRegionSupported: Bool = true, isLocationServicesDenied: Bool = false
  ) {
    self.name = name
    self.homeID = homeID
    self.point = point
    self.timeZone = timeZone
    self.gridRegion = gridRegion
    self.ratePlanID = ratePlanID
    self.incorporatesRatePlan = incorporatesRatePlan
    self.isRegionSupported = isRegionSupported
    self.isLocationServicesDenied = isLocationServicesDenied
  }

  func venue(id: UUID, createTime: Timestamp) -> EnergyVenue {
    EnergyVenue(
      id: id, name: name, homeID: homeID, timeZone: timeZone, gridRegion: gridRegion, ratePlanID: ratePlanID,
      incorporatesRatePlan: incorporatesRatePlan, isRegionSupported: isRegionSupported,
      isLocationServicesDenied: isLocationServicesDenied, createTime: createTime,
      location: point.map(VenueLocation.init(rounding:)))
  }
}
