package import EnergyModel
package import ProtobufWire

package struct ListVenuesResponse: ResponseMessage, WireMessage {
  /// Ascending by name, then id.
  package let venues: [EnergyVenue]
  /// Where the listing goes on; `nil` at its end.
  package let nextPageToken: PageToken?

  package init(venues: [EnergyVenue], nextPageToken: PageToken?) {
    self.venues = venues
    self.nextPageToken = nextPageToken
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) {
    for venue in venues { sink.message(VenueMessage(venue), 1) }
    if let nextPageToken { sink.string(nextPageToken.text(in: .venues), 2) }
  }
}

/// energykit.v1.EnergyVenue: what a caller may see of a venue.
struct VenueMessage: WireMessage {
  let venue: EnergyVenue

  init(_ venue: EnergyVenue) { self.venue = venue }

  package func encode(to sink: inout some WireSink) {
    sink.uuid(venue.id, 1)
    sink.string(venue.name, 2)
    if let homeID = venue.homeID { sink.uuid(homeID, 3) }
    sink.string(venue.timeZone, 4)
    sink.string(venue.gridRegion, 5)
    sink.bool(venue.ratePlanID != nil, 6)
  }
}
