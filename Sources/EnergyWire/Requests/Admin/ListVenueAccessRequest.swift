internal import CEnergyProto
package import FoundationEssentials
package import ProtobufWire

package struct ListVenueAccessRequest: Sendable {
  /// One of the two at least is given.
  package let venueID: UUID?
  package let clientID: UUID?
  /// 1...1000.
  package let pageSize: Int
  /// After this venue and client.
  package let after: (venueID: UUID, clientID: UUID)?

  /// What the tokens of its pages belong to.
  package var listing: PageToken.Listing { .access(venueID: venueID, clientID: clientID) }

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__list_venue_access_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    venueID = try arena.optionalUUID(raw.pointee.venue_id, field: "venue_id")
    clientID = try arena.optionalUUID(raw.pointee.client_id, field: "client_id")
    guard venueID != nil || clientID != nil else { throw .invalid("venue_id", "venue_id or client_id is needed") }
    pageSize = try arena.adminPageSize(raw.pointee.page_size)
    guard let token = try arena.pageToken(raw.pointee.page_token, in: .access(venueID: venueID, clientID: clientID))
    else {
      after = nil
      return
    }
    guard let venueID = UUID(uuidString: token.name) else { throw .invalid("page_token", "is none that was given out") }
    after = (venueID, token.id)
  }
}
