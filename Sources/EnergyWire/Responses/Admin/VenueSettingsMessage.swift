internal import EnergyModel
internal import FoundationEssentials
internal import ProtobufWire

/// energykit.v1.VenueSettings: what the operator sees of a venue.
struct VenueSettingsMessage: WireMessage {
  let venue: EnergyVenue

  init(_ venue: EnergyVenue) { self.venue = venue }

  func encode(to sink: inout some WireSink) {
    sink.message(VenueMessage(venue), 1)
    if let point = venue.location?.point { sink.message(GeoPointMessage(point), 2) }
    sink.bool(venue.isRegionSupported, 3)
    sink.bool(venue.isLocationServicesDenied, 4)
    sink.bool(venue.incorporatesRatePlan, 5)
    sink.string(venue.ratePlanID ?? "", 6)
    sink.message(TimestampMessage(venue.createTime), 7)
  }
}

/// energykit.v1.GeoPoint.
struct GeoPointMessage: WireMessage {
  let point: GeoPoint

  init(_ point: GeoPoint) { self.point = point }

  func encode(to sink: inout some WireSink) {
    sink.double(point.latitude, 1)
    sink.double(point.longitude, 2)
  }
}
