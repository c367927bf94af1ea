package import EnergyModel
package import ProtobufWire

/// The response of CreateVenue, GetVenueSettings and UpdateVenue: a venue in field 1.
package struct VenueSettingsResponse: ResponseMessage, WireMessage {
  package let venue: EnergyVenue

  package init(venue: EnergyVenue) {
    self.venue = venue
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) { sink.message(VenueSettingsMessage(venue), 1) }
}
