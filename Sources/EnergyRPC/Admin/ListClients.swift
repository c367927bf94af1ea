internal import EnergyService
internal import EnergyWire
internal import GRPC
internal import Storage

/// `energykit.v1.AdminService/ListClients`.
struct ListClients {
  let loop: EnergyLoop

  init(_ loop: EnergyLoop) { self.loop = loop }

  func handle(_ call: any ServerCall, _ message: UnsafeRawBufferPointer) {
    let request: ListClientsRequest
    do {
      request = try ListClientsRequest(decoding: message, arena: loop.arena)
    } catch {
      return call.fail(error)
    }
    let admin = loop.shared.admin
    call.answer { () async throws(AdminFailure) in
      let page = try await admin.clients(
        after: request.pageToken.map { NameCursor(name: $0.name, id: $0.id) }, limit: request.pageSize)
      return ListClientsResponse(
        clients: page.items, nextPageToken: page.next.map { PageToken(name: $0.name, id: $0.id) })
    }
  }
}
