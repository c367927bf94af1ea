package import EnergyModel
package import ProtobufWire

package struct ListVenueSettingsResponse: ResponseMessage, WireMessage {
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
    for venue in venues { sink.message(VenueSettingsMessage(venue), 1) }
    if let nextPageToken { sink.string(nextPageToken.text(in: .venueSettings), 2) }
  }
}
