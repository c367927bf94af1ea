internal import EnergyService
internal import EnergyWire
internal import GRPC
internal import Storage

/// `energykit.v1.AdminService/ListVenueAccess`.
struct ListVenueAccess {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: ListVenueAccessRequest
    do {
      request = try ListVenueAccessRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      let page = try await admin.venueAccess(
        venueID: request.venueID, clientID: request.clientID,
        after: request.after.map { AccessCursor(venueID: $0.venueID, clientID: $0.clientID) }, limit: request.pageSize)
      let entries = page.entries.map {
        ListVenueAccessResponse.Entry(venueID: $0.venueID, clientID: $0.clientID, access: $0.access)
      }
      return ListVenueAccessResponse(entries: entries, hasMore: page.next != nil, of: request.listing)
    }
  }
}
