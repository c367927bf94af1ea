internal import EnergyModel
package import FoundationEssentials

/// A venue as the operator describes it. Region and support are given, not found from a place.
package struct NewVenue: Hashable, Sendable {
  package var name: String
  package var homeID: UUID?
  /// IANA name.
  package var timeZone: String
  /// Empty where the venue has none.
  package var gridRegion: String
  package var ratePlanID: String?
  package var incorporatesRatePlan: Bool
  /// Inside the contiguous United States.
  package var isRegionSupported: Bool
  package var isLocationServicesDenied: Bool

  package init(
    name: String, homeID: UUID? = nil, timeZone: String, gridRegion: String, ratePlanID: String? = nil,
    incorporatesRatePlan: Bool = true, isRegionSupported: Bool = true, isLocationServicesDenied: Bool = false
  ) {
    self.name = name
    self.homeID = homeID
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
      isLocationServicesDenied: isLocationServicesDenied, createTime: createTime)
  }
}
