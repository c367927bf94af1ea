package import EnergyModel

extension GuidanceSeries {
  /// What guidance for a venue is computed from, whether or not it may have any.
  package init(of venue: EnergyVenue, action: SuggestedAction) {
    let plan = venue.ratePlanID.map {
      PlanInZone(ratePlanID: $0, timeZone: venue.timeZone, isIncorporated: venue.incorporatesRatePlan)
    }
    self.init(gridRegion: venue.gridRegion, action: action, ratePlan: plan)
  }

  /// The checks between access and guidance: location services, then region (docs/architecture.md, Order of checks).
  /// - Throws: `locationServicesDenied`, `unsupportedRegion`.
  package static func checked(of venue: EnergyVenue, action: SuggestedAction) throws(EnergyKitError) -> Self {
    guard !venue.isLocationServicesDenied else { throw .locationServicesDenied }
    guard venue.mayHaveGuidance else { throw .unsupportedRegion(region: venue.gridRegion) }
    return GuidanceSeries(of: venue, action: action)
  }
}

extension EnergyVenue {
  /// Inside the contiguous United States and with a grid region.
  var mayHaveGuidance: Bool { isRegionSupported && !gridRegion.isEmpty }
}
