package import EnergyModel
package import FoundationEssentials
internal import LocalTime
package import Storage

/// What of a venue is to be changed; `nil`: nothing of it.
package struct VenueUpdate: Hashable, Sendable {
  package var name: String?
  /// The inner `nil`: none.
  package var homeID: UUID??
  /// What the update does not name follows from it: time zone and grid region.
  package var point: GeoPoint?
  /// Empty: from the location.
  package var timeZone: String?
  /// Empty: from the location.
  package var gridRegion: String?
  package var isLocationServicesDenied: Bool?
  package var incorporatesRatePlan: Bool?
  /// The inner `nil`: none.
  package var ratePlanID: String??

  package init() {}
}

extension AdminOperations {
  /// - Parameter id: `nil`: a new one. Repeating a request with an id is harmless.
  /// - Throws: `alreadyExists` where the id is known with other content, `inProgress` while the events of a venue that had
  ///   the id are being erased, `notFound` for an unknown rate plan, `invalidRequest` for a time zone that is unknown, or
  ///   cannot be found.
  package func createVenue(id: UUID?, _ new: NewVenue) async throws(AdminFailure) -> EnergyVenue {
    try await change {
      var placed = new
      await placed.place(by: findPlace)
      if let id, let known = try await store.venue(id: id) {
        // Plans are linked by updates.
        if new.ratePlanID == nil {
          placed.ratePlanID = known.ratePlanID
          placed.incorporatesRatePlan = known.incorporatesRatePlan
        }
        guard placed.venue(id: id, createTime: known.createTime) == known else {
          throw AdminFailure.alreadyExists(.venue(id: id.text))
        }
        return known
      }
      if let id, try await store.isErasing(venueID: id) { throw EnergyKitError.inProgress }
      return try await save(placed.venue(id: id ?? UUID(), createTime: clock.now), by: "CreateVenue")
    }
  }

  /// - Throws: `notFound`.
  package func venue(id: UUID) async throws(AdminFailure) -> EnergyVenue {
    try await read {
      guard let venue = try await store.venue(id: id) else { throw AdminFailure.notFound(.venue(id: id.text)) }
      return venue
    }
  }

  /// By name, then id.
  package func venues(after cursor: NameCursor?, limit: Int) async throws(AdminFailure) -> Page<EnergyVenue> {
    try await read {
      Page(try await store.venues(after: cursor, limit: limit + 1), limit: limit) {
        NameCursor(name: $0.name, id: $0.id)
      }
    }
  }

  /// Streams of the venue go on with the guidance that is now its own, or end as a new call would.
  /// - Throws: `notFound` for an unknown venue or rate plan, `invalidRequest` for a time zone that is unknown, or cannot be
  ///   found.
  package func updateVenue(id: UUID, _ update: VenueUpdate) async throws(AdminFailure) -> EnergyVenue {
    try await change {
      guard let earlier = try await store.venue(id: id) else { throw AdminFailure.notFound(.venue(id: id.text)) }
      var venue = earlier.applying(update)
      await venue.move(by: update, findPlace)
      guard venue != earlier else { return venue }
      return try await save(venue, by: "UpdateVenue", venue.differences(from: earlier))
    }
  }

  /// Its guidance is there before anybody can ask for it.
  private func save(_ venue: EnergyVenue, by method: String, _ what: String = "") async throws -> EnergyVenue {
    guard LocalClock(timeZone: venue.timeZone) != nil else {
      throw AdminFailure.invalidRequest(
        InvalidRequest(
          field: "time_zone",
          description: venue.timeZone.isEmpty
            ? "is needed, since it cannot be found from the location"
            : "must be an IANA name, for example America/Los_Angeles"))
    }
    if let planID = venue.ratePlanID {
      guard try await store.ratePlans().contains(where: { $0.id == planID }) else {
        throw AdminFailure.notFound(.ratePlan(id: planID))
      }
    }
    try await store.save(venue)
    if venue.mayHaveGuidance {
      try await guidance.prepare(SuggestedAction.allCases.map { GuidanceSeries(of: venue, action: $0) })
    }
    await tell(.venue(venue.id), AdminChange(method, what, venueID: venue.id))
    return venue
  }

  /// With its events, which are gone when this returns. Where that failed it is to be repeated.
  /// - Throws: `notFound`.
  package func deleteVenue(id: UUID) async throws(AdminFailure) {
    try await change {
      guard try await store.deleteVenue(id: id) else {
        if try await store.isErasing(venueID: id) { return }
        throw AdminFailure.notFound(.venue(id: id.text))
      }
      await tell(.venue(id), AdminChange("DeleteVenue", venueID: id))
    }
    // Whatever was let in before has been submitted by now, so it comes before the erasure.
    _ = try await erase(EventErasure(venueID: id))
  }

  /// With its events, which are gone when this returns.
  /// - Throws: `notFound` for an unknown venue or client, and for a device of which nothing is stored.
  package func deleteDevice(venueID: UUID, clientID: UUID, deviceID: String) async throws(AdminFailure) {
    try await read {
      guard try await store.venue(id: venueID) != nil else { throw AdminFailure.notFound(.venue(id: venueID.text)) }
      let erasure = EventErasure(venueID: venueID, device: .init(clientID: clientID, id: deviceID))
      guard try await erase(erasure) > 0 else { throw AdminFailure.notFound(.device(id: deviceID)) }
      note(AdminChange("DeleteDevice", clientID: clientID, venueID: venueID))
    }
  }
}

extension NewVenue {
  /// What was left open, from where it is.
  fileprivate mutating func place(by find: PlaceFinder?) async {
    guard let point else { return }
    guard let place = await find?(point) else {
      isRegionSupported = !gridRegion.isEmpty
      return
    }
    isRegionSupported = place.isSupported
    if timeZone.isEmpty { timeZone = place.timeZone }
    if gridRegion.isEmpty { gridRegion = place.gridRegion }
  }
}

extension EnergyVenue {
  /// For the log: what is otherwise than before.
  fileprivate func differences(from earlier: EnergyVenue) -> String {
    let fields: [(String, Bool)] = [
      ("name", name != earlier.name), ("home_id", homeID != earlier.homeID), ("location", location != earlier.location),
      ("time_zone", timeZone != earlier.timeZone), ("grid_region", gridRegion != earlier.gridRegion),
      ("region_supported", isRegionSupported != earlier.isRegionSupported),
      ("location_services_denied", isLocationServicesDenied != earlier.isLocationServicesDenied),
      ("incorporate_rate_plan", incorporatesRatePlan != earlier.incorporatesRatePlan),
      ("rate_plan_id", ratePlanID != earlier.ratePlanID),
    ]
    return fields.filter(\.1).map(\.0).joined(separator: ", ")
  }

  fileprivate func applying(_ update: VenueUpdate) -> EnergyVenue {
    var venue = self
    if let name = update.name { venue.name = name }
    if let homeID = update.homeID { venue.homeID = homeID }
    if let isDenied = update.isLocationServicesDenied { venue.isLocationServicesDenied = isDenied }
    if let incorporates = update.incorporatesRatePlan { venue.incorporatesRatePlan = incorporates }
    if let planID = update.ratePlanID { venue.ratePlanID = planID }
    return venue
  }

  /// What follows from the place where the update says so, or says that it is another.
  fileprivate mutating func move(by update: VenueUpdate, _ find: PlaceFinder?) async {
    if let point = update.point { location = VenueLocation(rounding: point) }
    if let zone = update.timeZone { timeZone = zone }
    if let region = update.gridRegion { gridRegion = region }
    let isZoneOpen = update.timeZone.map(\.isEmpty) ?? (update.point != nil)
    let isRegionOpen = update.gridRegion.map(\.isEmpty) ?? (update.point != nil)
    guard isZoneOpen || isRegionOpen || update.point != nil else {
      // Without a place the region is all that says where it is.
      if location == nil, update.gridRegion != nil { isRegionSupported = true }
      return
    }
    guard let point = update.point ?? location?.point, let place = await find?(point) else {
      if update.gridRegion != nil || update.point != nil { isRegionSupported = !gridRegion.isEmpty }
      return
    }
    if isZoneOpen { timeZone = place.timeZone }
    if isRegionOpen { gridRegion = place.gridRegion }
    if update.point != nil { isRegionSupported = place.isSupported }
  }
}
