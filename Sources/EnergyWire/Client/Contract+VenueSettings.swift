internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

// AdminService: venues, who may use them, devices.

extension Contract {
  /// Degrees, WGS 84.
  package struct Place: Hashable, Sendable {
    package let latitude: Double
    package let longitude: Double

    package init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// What the operator sees of a venue.
  package struct VenueSettings: Hashable, Sendable {
    package let venue: Venue
    package let location: Place?
    /// Inside the contiguous United States.
    package let isRegionSupported: Bool
    package let isLocationServicesDenied: Bool
    package let incorporatesRatePlan: Bool
    /// Empty where none is linked.
    package let ratePlanID: String
    package let createTime: Timestamp?

    init(_ raw: UnsafePointer<Energykit__V1__VenueSettings>, _ message: DecodedMessage) throws(WireError) {
      let raw = raw.pointee
      venue = try Venue(message.required(raw.venue, "settings.venue"), message.arena)
      location = raw.location.map { Place(latitude: $0.pointee.latitude, longitude: $0.pointee.longitude) }
      isRegionSupported = raw.region_supported != 0
      isLocationServicesDenied = raw.location_services_denied != 0
      incorporatesRatePlan = raw.incorporate_rate_plan != 0
      ratePlanID = try message.arena.text(of: raw.rate_plan_id)
      createTime = Timestamp(raw.create_time)
    }
  }

  package struct CreateVenue: ContractCall {
    /// `nil`: the server makes one.
    package var venueID: UUID?
    package var name: String
    package var homeID: UUID?
    package var location: Place?
    /// Empty: from the location; so is the region.
    package var timeZone = ""
    package var gridRegion = ""
    package var isLocationServicesDenied = false

    package init(name: String) {
      self.name = name
    }

    package static var method: MethodName { .createVenue }
    package static var answerType: ContractMessage { .init(energykit__v1__create_venue_response__init) }

    package func encode(to sink: inout some WireSink) {
      if let venueID { sink.uuid(venueID, 1) }
      sink.string(name, 2)
      if let homeID { sink.uuid(homeID, 3) }
      sink.message(location.map(PlaceMessage.init), 4)
      sink.string(timeZone, 5)
      sink.string(gridRegion, 6)
      sink.bool(isLocationServicesDenied, 7)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> VenueSettings {
      let raw = message.view(Energykit__V1__CreateVenueResponse.self).pointee
      return try VenueSettings(message.required(raw.settings, "settings"), message)
    }
  }

  package struct GetVenueSettings: ContractCall {
    package let venueID: UUID

    package init(venueID: UUID) {
      self.venueID = venueID
    }

    package static var method: MethodName { .getVenueSettings }
    package static var answerType: ContractMessage { .init(energykit__v1__get_venue_settings_response__init) }

    package func encode(to sink: inout some WireSink) { sink.uuid(venueID, 1) }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> VenueSettings {
      let raw = message.view(Energykit__V1__GetVenueSettingsResponse.self).pointee
      return try VenueSettings(message.required(raw.settings, "settings"), message)
    }
  }

  package struct ListVenueSettings: PagedCall {
    package typealias Item = VenueSettings

    package var pageSize: Int32
    package var pageToken: String

    package init(pageSize: Int32 = 0, pageToken: String = "") {
      self.pageSize = pageSize
      self.pageToken = pageToken
    }

    package static var method: MethodName { .listVenueSettings }
    package static var answerType: ContractMessage { .init(energykit__v1__list_venue_settings_response__init) }

    package func encode(to sink: inout some WireSink) {
      sink.integer(Int64(pageSize), 1)
      sink.string(pageToken, 2)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> Page<VenueSettings> {
      let raw = message.view(Energykit__V1__ListVenueSettingsResponse.self).pointee
      return Page(
        items: try message.list(raw.n_settings, raw.settings) { settings throws(WireError) in
          try VenueSettings(settings, message)
        },
        nextPageToken: try message.arena.text(of: raw.next_page_token))
    }
  }

  /// What is `nil` stays as it is.
  package struct UpdateVenue: ContractCall {
    package let venueID: UUID
    package var name: String?
    /// Empty: unlink; so is the rate plan.
    package var homeID: String?
    package var location: Place?
    package var timeZone: String?
    package var gridRegion: String?
    package var isLocationServicesDenied: Bool?
    package var incorporatesRatePlan: Bool?
    package var ratePlanID: String?

    package init(venueID: UUID) {
      self.venueID = venueID
    }

    package static var method: MethodName { .updateVenue }
    package static var answerType: ContractMessage { .init(energykit__v1__update_venue_response__init) }

    package func encode(to sink: inout some WireSink) {
      sink.uuid(venueID, 1)
      sink.message(name.map(StringValueMessage.init), 2)
      sink.message(homeID.map(StringValueMessage.init), 3)
      sink.message(location.map(PlaceMessage.init), 4)
      sink.message(timeZone.map(StringValueMessage.init), 5)
      sink.message(gridRegion.map(StringValueMessage.init), 6)
      sink.message(isLocationServicesDenied.map(BoolValueMessage.init), 7)
      sink.message(incorporatesRatePlan.map(BoolValueMessage.init), 8)
      sink.message(ratePlanID.map(StringValueMessage.init), 9)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> VenueSettings {
      let raw = message.view(Energykit__V1__UpdateVenueResponse.self).pointee
      return try VenueSettings(message.required(raw.settings, "settings"), message)
    }
  }

  package struct DeleteVenue: ContractCall {
    package let venueID: UUID

    package init(venueID: UUID) {
      self.venueID = venueID
    }

    package static var method: MethodName { .deleteVenue }
    package static var answerType: ContractMessage { .init(energykit__v1__delete_venue_response__init) }
    package func encode(to sink: inout some WireSink) { sink.uuid(venueID, 1) }
    package static func answer(_ message: DecodedMessage) throws(WireError) {}
  }

  package struct DeleteDevice: ContractCall {
    package let venueID: UUID
    package let clientID: UUID
    package let deviceID: String

    package init(venueID: UUID, clientID: UUID, deviceID: String) {
      self.venueID = venueID
      self.clientID = clientID
      self.deviceID = deviceID
    }

    package static var method: MethodName { .deleteDevice }
    package static var answerType: ContractMessage { .init(energykit__v1__delete_device_response__init) }

    package func encode(to sink: inout some WireSink) {
      sink.uuid(venueID, 1)
      sink.uuid(clientID, 2)
      sink.string(deviceID, 3)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) {}
  }

  /// What one client may do with one venue.
  package struct AccessEntry: Hashable, Sendable {
    package let venueID: UUID
    package let clientID: UUID
    /// `nil` where the server names one that this client does not know.
    package let access: VenueAccess?
  }

  package struct SetVenueAccess: ContractCall {
    package let venueID: UUID
    package let clientID: UUID
    package let access: VenueAccess

    package init(venueID: UUID, clientID: UUID, access: VenueAccess) {
      self.venueID = venueID
      self.clientID = clientID
      self.access = access
    }

    package static var method: MethodName { .setVenueAccess }
    package static var answerType: ContractMessage { .init(energykit__v1__set_venue_access_response__init) }

    package func encode(to sink: inout some WireSink) {
      sink.uuid(venueID, 1)
      sink.uuid(clientID, 2)
      sink.integer(Int64(access.rawValue), 3)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) {}
  }

  package struct ListVenueAccess: PagedCall {
    package typealias Item = AccessEntry

    /// Either, or both.
    package let venueID: UUID?
    package let clientID: UUID?
    package var pageSize: Int32
    package var pageToken: String

    package init(venueID: UUID?, clientID: UUID?, pageSize: Int32 = 0, pageToken: String = "") {
      self.venueID = venueID
      self.clientID = clientID
      self.pageSize = pageSize
      self.pageToken = pageToken
    }

    package static var method: MethodName { .listVenueAccess }
    package static var answerType: ContractMessage { .init(energykit__v1__list_venue_access_response__init) }

    package func encode(to sink: inout some WireSink) {
      if let venueID { sink.uuid(venueID, 1) }
      if let clientID { sink.uuid(clientID, 2) }
      sink.integer(Int64(pageSize), 3)
      sink.string(pageToken, 4)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> Page<AccessEntry> {
      let raw = message.view(Energykit__V1__ListVenueAccessResponse.self).pointee
      return Page(
        items: try message.list(raw.n_entries, raw.entries) { entry throws(WireError) in
          AccessEntry(
            venueID: try message.arena.uuid(entry.pointee.venue_id, field: "entries.venue_id"),
            clientID: try message.arena.uuid(entry.pointee.client_id, field: "entries.client_id"),
            access: UInt8(exactly: entry.pointee.access.rawValue).flatMap(VenueAccess.init(rawValue:)))
        },
        nextPageToken: try message.arena.text(of: raw.next_page_token))
    }
  }
}

/// energykit.v1.GeoPoint.
struct PlaceMessage: WireMessage {
  let place: Contract.Place

  func encode(to sink: inout some WireSink) {
    sink.double(place.latitude, 1)
    sink.double(place.longitude, 2)
  }
}
