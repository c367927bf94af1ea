package import EnergyModel
package import FoundationEssentials
package import Storage

extension SQLiteStore {
  package func venue(id: UUID) async throws(StoreError) -> EnergyVenue? {
    try await read { connection throws(StoreError) in
      let rows = try connection.statement("SELECT \(EnergyVenue.columns) FROM venues WHERE id = ?")
      defer { rows.reset() }
      try rows.bind(id, at: 1)
      return try rows.step() ? EnergyVenue(in: rows) : nil
    }
  }

  package func venue(id: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant? {
    try await grant(where: "id", is: id, clientID: clientID)
  }

  package func venue(homeID: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant? {
    try await grant(where: "home_id", is: homeID, clientID: clientID)
  }

  private func grant(where column: String, is id: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant? {
    try await read { connection throws(StoreError) in
      let rows = try connection.statement(
        """
        SELECT \(EnergyVenue.columns), access FROM venues JOIN venue_access ON venue_id = id AND client_id = ?2
          WHERE \(column) = ?1 AND access <> \(VenueAccess.none.rawValue)
          ORDER BY access = \(VenueAccess.denied.rawValue), name, id LIMIT 1
        """)
      defer { rows.reset() }
      try rows.bind(id, at: 1)
      try rows.bind(clientID, at: 2)
      guard try rows.step() else { return nil }
      let access = try rows.valid(VenueAccess(rawValue: UInt8(clamping: rows.integer(12))), 12)
      return VenueGrant(venue: try EnergyVenue(in: rows), access: access)
    }
  }

  package func venues(
    clientID: UUID, after: NameCursor?, limit: Int
  ) async throws(StoreError) -> [EnergyVenue] {
    try await read { connection throws(StoreError) in
      let rows = try connection.statement(
        """
        SELECT \(EnergyVenue.columns) FROM venue_access JOIN venues ON id = venue_id
          WHERE client_id = ?4 AND access IN (\(VenueAccess.granted.rawValue), \(VenueAccess.restricted.rawValue))
            AND (?1 IS NULL OR (name, id) > (?1, ?2))
          ORDER BY name, id LIMIT ?3
        """)
      defer { rows.reset() }
      try rows.bind(after: after, limit: limit)
      try rows.bind(clientID, at: 4)
      return try EnergyVenue.all(in: rows)
    }
  }

  package func venues(after: NameCursor?, limit: Int) async throws(StoreError) -> [EnergyVenue] {
    try await read { connection throws(StoreError) in
      let rows = try connection.statement(
        """
        SELECT \(EnergyVenue.columns) FROM venues WHERE ?1 IS NULL OR (name, id) > (?1, ?2)
          ORDER BY name, id LIMIT ?3
        """)
      defer { rows.reset() }
      try rows.bind(after: after, limit: limit)
      return try EnergyVenue.all(in: rows)
    }
  }

  package func save(_ venue: EnergyVenue) async throws(StoreError) {
    try await write { connection throws(StoreError) in
      let row = try connection.statement(
        """
        INSERT INTO venues (\(EnergyVenue.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET
            name = excluded.name, home_id = excluded.home_id, time_zone = excluded.time_zone,
            grid_region = excluded.grid_region, rate_plan_id = excluded.rate_plan_id,
            incorporates_rate_plan = excluded.incorporates_rate_plan,
            is_region_supported = excluded.is_region_supported,
            is_location_services_denied = excluded.is_location_services_denied, create_time = excluded.create_time,
            latitude = excluded.latitude, longitude = excluded.longitude
        """)
      defer { row.reset() }
      try venue.bind(to: row)
      _ = try row.step()
    }
  }

  package func deleteVenue(id: UUID) async throws(StoreError) -> Bool {
    try await write { connection throws(StoreError) in
      try connection.delete("DELETE FROM venue_access WHERE venue_id = ?", id)
      guard try connection.delete("DELETE FROM venues WHERE id = ?", id) > 0 else { return false }
      try connection.register(EventErasure(venueID: id))
      return true
    }
  }

  package func venueAccess(
    venueID: UUID?, clientID: UUID?, after: AccessCursor?, limit: Int
  ) async throws(StoreError) -> [VenueAccessEntry] {
    // A statement for each shape, so that each finds its index.
    var conditions = ["access <> \(VenueAccess.none.rawValue)"]
    if venueID != nil { conditions.append("venue_id = ?1") }
    if clientID != nil { conditions.append("client_id = ?2") }
    if after != nil { conditions.append("(venue_id, client_id) > (?3, ?4)") }
    let sql = """
      SELECT venue_id, client_id, access FROM venue_access WHERE \(conditions.joined(separator: " AND "))
        ORDER BY venue_id, client_id LIMIT ?5
      """
    return try await read { connection throws(StoreError) in
      let rows = try connection.statement(sql)
      defer { rows.reset() }
      if let venueID { try rows.bind(venueID, at: 1) }
      if let clientID { try rows.bind(clientID, at: 2) }
      if let after {
        try rows.bind(after.venueID, at: 3)
        try rows.bind(after.clientID, at: 4)
      }
      try rows.bind(Int64(max(0, limit)), at: 5)
      var entries: [VenueAccessEntry] = []
      while try rows.step() {
        let access = try rows.valid(VenueAccess(rawValue: UInt8(clamping: rows.integer(2))), 2)
        entries.append(VenueAccessEntry(venueID: try rows.uuid(0), clientID: try rows.uuid(1), access: access))
      }
      return entries
    }
  }

  package func setAccess(_ access: VenueAccess, venueID: UUID, clientID: UUID) async throws(StoreError) {
    try await write { connection throws(StoreError) in
      // The foreign keys refuse a venue or client that is absent.
      let row = try connection.statement(
        """
        INSERT INTO venue_access (client_id, venue_id, access) VALUES (?, ?, ?)
          ON CONFLICT (client_id, venue_id) DO UPDATE SET access = excluded.access
        """)
      defer { row.reset() }
      try row.bind(clientID, at: 1)
      try row.bind(venueID, at: 2)
      try row.bind(Int64(access.rawValue), at: 3)
      _ = try row.step()
    }
  }
}

extension Statement {
  /// Binds the cursor's name and id to 1 and 2, both NULL at the start of a listing, and the limit to 3.
  func bind(after cursor: NameCursor?, limit: Int) throws(StoreError) {
    try bind(cursor?.name, at: 1)
    try bind(cursor?.id, at: 2)
    try bind(Int64(max(0, limit)), at: 3)  // a negative LIMIT would mean none
  }
}

extension EnergyVenue {
  /// As `init(in:)` reads them from 0 on.
  fileprivate static let columns = """
    id, name, home_id, time_zone, grid_region, rate_plan_id, incorporates_rate_plan, is_region_supported, \
    is_location_services_denied, create_time, latitude, longitude
    """

  fileprivate init(in row: Statement) throws(StoreError) {
    self.init(
      id: try row.uuid(0), name: row.text(1), homeID: try row.optionalUUID(2), timeZone: row.text(3),
      gridRegion: row.text(4), ratePlanID: row.optionalText(5), incorporatesRatePlan: row.boolean(6),
      isRegionSupported: row.boolean(7), isLocationServicesDenied: row.boolean(8), createTime: row.timestamp(9),
      location: try Self.location(in: row))
  }

  private static func location(in row: Statement) throws(StoreError) -> VenueLocation? {
    if row.isNull(10) { return nil }
    return try row.valid(
      VenueLocation(latitudeHundredths: Int(row.integer(10)), longitudeHundredths: Int(row.integer(11))), 10)
  }

  fileprivate static func all(in rows: Statement) throws(StoreError) -> [EnergyVenue] {
    var venues: [EnergyVenue] = []
    while try rows.step() { venues.append(try EnergyVenue(in: rows)) }
    return venues
  }

  fileprivate func bind(to row: Statement) throws(StoreError) {
    try row.bind(id, at: 1)
    try row.bind(name, at: 2)
    try row.bind(homeID, at: 3)
    try row.bind(timeZone, at: 4)
    try row.bind(gridRegion, at: 5)
    try row.bind(ratePlanID, at: 6)
    try row.bind(incorporatesRatePlan, at: 7)
    try row.bind(isRegionSupported, at: 8)
    try row.bind(isLocationServicesDenied, at: 9)
    try row.bind(createTime, at: 10)
    guard let location else { return }  // unbound parameters are NULL
    try row.bind(Int64(location.latitudeHundredths), at: 11)
    try row.bind(Int64(location.longitudeHundredths), at: 12)
  }
}
