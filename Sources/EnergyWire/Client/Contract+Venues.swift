internal import CEnergyProto
package import FoundationEssentials
package import ProtobufWire

extension Contract {
  /// What a caller may see of a venue.
  package struct Venue: Hashable, Sendable {
    package let id: UUID
    package let name: String
    /// Of the matching home in the caller's home system.
    package let homeID: UUID?
    /// IANA name.
    package let timeZone: String
    /// Empty where the venue has none.
    package let gridRegion: String
    package let hasRatePlan: Bool

    init(_ raw: UnsafePointer<Energykit__V1__EnergyVenue>, _ arena: DecodeArena) throws(WireError) {
      id = try arena.uuid(raw.pointee.id, field: "venue.id")
      name = try arena.text(of: raw.pointee.name)
      homeID = try arena.optionalUUID(raw.pointee.home_id, field: "venue.home_id")
      timeZone = try arena.text(of: raw.pointee.time_zone)
      gridRegion = try arena.text(of: raw.pointee.grid_region)
      hasRatePlan = raw.pointee.has_rate_plan != 0
    }
  }

  package struct ListVenues: PagedCall {
    package typealias Item = Venue

    /// 0: as many as the server likes.
    package var pageSize: Int32
    package var pageToken: String

    package init(pageSize: Int32 = 0, pageToken: String = "") {
      self.pageSize = pageSize
      self.pageToken = pageToken
    }

    package static var method: MethodName { .listVenues }
    package static var answerType: ContractMessage { .init(energykit__v1__list_venues_response__init) }

    package func encode(to sink: inout some WireSink) {
      sink.integer(Int64(pageSize), 1)
      sink.string(pageToken, 2)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> Page<Venue> {
      let raw = message.view(Energykit__V1__ListVenuesResponse.self).pointee
      return Page(
        items: try message.list(raw.n_venues, raw.venues) { venue throws(WireError) in
          try Venue(venue, message.arena)
        },
        nextPageToken: try message.arena.text(of: raw.next_page_token))
    }
  }

  package struct GetVenue: ContractCall {
    package enum Key: Hashable, Sendable {
      case venueID(UUID)
      case homeID(UUID)
    }

    package let key: Key

    package init(_ key: Key) {
      self.key = key
    }

    package static var method: MethodName { .getVenue }
    package static var answerType: ContractMessage { .init(energykit__v1__get_venue_response__init) }

    package func encode(to sink: inout some WireSink) {
      switch key {
      case .venueID(let id): sink.uuid(id, 1)
      case .homeID(let id): sink.uuid(id, 2)
      }
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> Venue {
      let raw = message.view(Energykit__V1__GetVenueResponse.self).pointee
      return try Venue(message.required(raw.venue, "venue"), message.arena)
    }
  }
}
