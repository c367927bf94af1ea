package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

package struct ListVenueAccessResponse: ResponseMessage, WireMessage {
  package struct Entry: Hashable, Sendable {
    package let venueID: UUID
    package let clientID: UUID
    package let access: VenueAccess

    package init(venueID: UUID, clientID: UUID, access: VenueAccess) {
      self.venueID = venueID
      self.clientID = clientID
      self.access = access
    }
  }

  /// Ascending by venue, then client.
  package let entries: [Entry]
  /// Whether the listing goes on after them.
  package let hasMore: Bool

  private let listing: PageToken.Listing

  package init(entries: [Entry], hasMore: Bool, of listing: PageToken.Listing) {
    self.listing = listing
    self.entries = entries
    self.hasMore = hasMore
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) {
    for entry in entries { sink.message(entry, 1) }
    if hasMore, let last = entries.last {
      sink.string(PageToken(name: last.venueID.text, id: last.clientID).text(in: listing), 2)
    }
  }
}

extension ListVenueAccessResponse.Entry: WireMessage {
  package func encode(to sink: inout some WireSink) {
    sink.uuid(venueID, 1)
    sink.uuid(clientID, 2)
    sink.integer(Int(access.rawValue), 3)
  }
}
