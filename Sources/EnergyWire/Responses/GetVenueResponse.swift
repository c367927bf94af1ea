package import EnergyModel
package import ProtobufWire

package struct GetVenueResponse: ResponseMessage, WireMessage {
  package let venue: EnergyVenue

  package init(venue: EnergyVenue) {
    self.venue = venue
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) { sink.message(VenueMessage(venue), 1) }
}
