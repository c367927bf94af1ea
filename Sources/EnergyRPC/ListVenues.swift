internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import GRPC
internal import Storage

/// `energykit.v1.EnergyVenueService/ListVenues`.
struct ListVenues {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    guard let caller = loop.caller(of: call) else { return }
    let request: ListVenuesRequest
    do {
      request = try ListVenuesRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let venues = loop.shared.venues
    call.answer { () async throws(EnergyKitError) in
      let page = try await venues.list(
        as: caller, after: request.pageToken.map { NameCursor(name: $0.name, id: $0.id) }, limit: request.pageSize)
      return ListVenuesResponse(
        venues: page.items, nextPageToken: page.next.map { PageToken(name: $0.name, id: $0.id) })
    }
  }
}
