internal import EnergyService
internal import EnergyWire
internal import GRPC
internal import Storage

/// `energykit.v1.AdminService/ListVenueSettings`.
struct ListVenueSettings {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: ListVenueSettingsRequest
    do {
      request = try ListVenueSettingsRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      let page = try await admin.venues(
        after: request.pageToken.map { NameCursor(name: $0.name, id: $0.id) }, limit: request.pageSize)
      return ListVenueSettingsResponse(
        venues: page.items, nextPageToken: page.next.map { PageToken(name: $0.name, id: $0.id) })
    }
  }
}
