internal import CEnergyProto
package import EnergyModel
package import ProtobufWire

// AdminService: the grid.

extension Contract {
  package struct PublicationResult: Hashable, Sendable {
    package let storedCount: Int
    package let isGuidanceChanged: Bool
    /// On the node that answered.
    package let subscribersNotified: Int
  }

  package struct PublishGridSignal: ContractCall {
    private let bytes: [UInt8]

    /// - Parameter json: A PublishGridSignalRequest, by protobuf's JSON mapping.
    package init(json: JSONText.Value) throws(JSONText.Fault) {
      bytes = try ContractMessage(energykit__v1__publish_grid_signal_request__init).encoded(json)
    }

    package static var method: MethodName { .publishGridSignal }
    package static var answerType: ContractMessage { .init(energykit__v1__publish_grid_signal_response__init) }

    package func encode(to sink: inout some WireSink) { bytes.withUnsafeBytes { sink.append($0) } }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> PublicationResult {
      let raw = message.view(Energykit__V1__PublishGridSignalResponse.self).pointee
      return PublicationResult(
        storedCount: Int(raw.stored_count), isGuidanceChanged: raw.guidance_changed != 0,
        subscribersNotified: Int(raw.subscribers_notified))
    }
  }

  package struct GridRegion: Hashable, Sendable {
    package let code: String
    package let name: String
    package let latestIssueTime: Timestamp?
    package let guidanceInterval: Interval?
    package let quality: DataQuality?
  }

  package struct ListGridRegions: ContractCall {
    package init() {}

    package static var method: MethodName { .listGridRegions }
    package static var answerType: ContractMessage { .init(energykit__v1__list_grid_regions_response__init) }
    package func encode(to sink: inout some WireSink) {}

    package static func answer(_ message: DecodedMessage) throws(WireError) -> [GridRegion] {
      let raw = message.view(Energykit__V1__ListGridRegionsResponse.self).pointee
      return try message.list(raw.n_regions, raw.regions) { region throws(WireError) in
        GridRegion(
          code: try message.arena.text(of: region.pointee.code), name: try message.arena.text(of: region.pointee.name),
          latestIssueTime: Timestamp(region.pointee.latest_issue_time),
          guidanceInterval: Interval(region.pointee.guidance_interval),
          quality: UInt8(exactly: region.pointee.quality.rawValue).flatMap(DataQuality.init(rawValue:)))
      }
    }
  }

  package struct ResolvedRegion: Hashable, Sendable {
    package let isSupported: Bool
    package let gridRegion: String
    package let timeZone: String
    /// How it was found, for a person.
    package let basis: String
  }

  package struct ResolveGridRegion: ContractCall {
    package enum Where: Hashable, Sendable {
      case location(Place)
      /// Five digits.
      case postalCode(String)
    }

    package let place: Where

    package init(_ place: Where) {
      self.place = place
    }

    package static var method: MethodName { .resolveGridRegion }
    package static var answerType: ContractMessage { .init(energykit__v1__resolve_grid_region_response__init) }

    package func encode(to sink: inout some WireSink) {
      switch place {
      case .location(let place): sink.message(PlaceMessage(place: place), 1)
      case .postalCode(let code): sink.string(code, 2)
      }
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> ResolvedRegion {
      let raw = message.view(Energykit__V1__ResolveGridRegionResponse.self).pointee
      return ResolvedRegion(
        isSupported: raw.region_supported != 0, gridRegion: try message.arena.text(of: raw.grid_region),
        timeZone: try message.arena.text(of: raw.time_zone), basis: try message.arena.text(of: raw.basis))
    }
  }
}
