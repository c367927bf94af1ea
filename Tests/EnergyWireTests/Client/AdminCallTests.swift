import EnergyModel
import EnergyWire
import FoundationEssentials
import ProtobufWire
import Testing

/// The operator's calls, between the two halves of the contract.
@Suite struct `A call of the operator` {
  private let venueID = UUID(high: 0x6BA7_B810_9DAD_11D1, low: 0x80B4_00C0_4FD4_30C8)
  private let clientID = UUID(high: 0, low: 10)

  private func served<Value>(
    _ call: some ContractCall, _ read: (UnsafeRawBufferPointer, DecodeArena) throws -> Value
  ) throws -> Value {
    try call.requestBytes.withUnsafeBytes { try read($0, DecodeArena()) }
  }

  private func encoded(_ response: some ResponseMessage) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: response.byteCount) { buffer, count in
      count = response.byteCount
      response.write(into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
    }
  }

  @Test func `about clients is read as it was meant`() throws {
    let create = Contract.CreateClient(clientID: clientID, name: "hub", entitlements: [.loadEventsExperience])
    let created = try served(create) { try CreateClientRequest(decoding: $0, arena: $1) }
    #expect(created.clientID == clientID && created.name == "hub" && created.entitlements == [.loadEventsExperience])
    let update = Contract.UpdateClient(clientID: clientID, name: "new", entitlements: [], isDisabled: false)
    let updated = try served(update) { try UpdateClientRequest(decoding: $0, arena: $1) }
    #expect(updated.name == "new" && updated.entitlements == [] && updated.isDisabled == false)
    let nothing = try served(Contract.UpdateClient(clientID: clientID)) {
      try UpdateClientRequest(decoding: $0, arena: $1)
    }
    #expect(nothing.name == nil && nothing.entitlements == nil && nothing.isDisabled == nil)
    let rotate = Contract.RotateClientKey(clientID: clientID, overlapSeconds: 90)
    #expect(
      try served(rotate) { try RotateClientKeyRequest(decoding: $0, arena: $1) }.overlapMilliseconds == 90_000)
  }

  @Test func `about venues is read as it was meant`() throws {
    var update = Contract.UpdateVenue(venueID: venueID)
    update.homeID = ""
    update.ratePlanID = ""
    update.timeZone = "America/Chicago"
    update.isLocationServicesDenied = true
    let updated = try served(update) { try UpdateVenueRequest(decoding: $0, arena: $1) }
    #expect(updated.homeID == .some(nil) && updated.ratePlanID == .some(nil))
    #expect(updated.timeZone == "America/Chicago" && updated.isLocationServicesDenied == true)
    #expect(updated.name == nil && updated.location == nil && updated.incorporatesRatePlan == nil)
    var create = Contract.CreateVenue(name: "Haus")
    create.location = Contract.Place(latitude: 37.77, longitude: -122.42)
    create.gridRegion = "CISO"
    let created = try served(create) { try CreateVenueRequest(decoding: $0, arena: $1) }
    #expect(created.venueID == nil && created.name == "Haus" && created.gridRegion == "CISO")
    #expect(created.location?.latitude == 37.77 && created.location?.longitude == -122.42)
    let access = Contract.SetVenueAccess(venueID: venueID, clientID: clientID, access: .restricted)
    let set = try served(access) { try SetVenueAccessRequest(decoding: $0, arena: $1) }
    #expect(set.venueID == venueID && set.clientID == clientID && set.access == .restricted)
  }

  @Test func `reads clients and access as the server writes them`() throws {
    let client = Client(
      id: clientID, name: "Füllung", entitlements: [.energyKit, .loadEventsExperience], isDisabled: true,
      createTime: Timestamp(milliseconds: 1_700_000_000_250))
    let created = try Contract.CreateClient.answer(
      decoding: encoded(CreateClientResponse(client: client, apiKey: "ek_x")))
    #expect(created.client == client && created.apiKey == "ek_x")
    let next = PageToken(name: "x", id: clientID)
    let page = try Contract.ListClients.answer(
      decoding: encoded(ListClientsResponse(clients: [client, client], nextPageToken: next)))
    #expect(page.items == [client, client] && page.nextPageToken == next.text(in: .clients))
    let entries = try Contract.ListVenueAccess.answer(
      decoding: encoded(
        ListVenueAccessResponse(
          entries: [.init(venueID: venueID, clientID: clientID, access: .denied)], hasMore: false,
          of: .access(venueID: venueID, clientID: nil))))
    let entry = try #require(entries.items.first)
    #expect(entry.venueID == venueID && entry.clientID == clientID && entry.access == .denied)
    #expect(entries.nextPageToken.isEmpty)
  }

  @Test func `reads regions as the server writes them`() throws {
    let response = ListGridRegionsResponse(regions: [
      .init(
        code: "CISO", name: "California", latestIssueTime: Timestamp(seconds: 5),
        guidanceInterval: Interval(start: Timestamp(seconds: 5), milliseconds: 1000), quality: .forecast)
    ])
    let region = try #require(try Contract.ListGridRegions.answer(decoding: encoded(response)).first)
    #expect(region.code == "CISO" && region.name == "California" && region.quality == .forecast)
    #expect(region.latestIssueTime == Timestamp(seconds: 5) && region.guidanceInterval?.milliseconds == 1000)
    let resolved = try Contract.ResolveGridRegion.answer(
      decoding: encoded(
        ResolveGridRegionResponse(isSupported: true, gridRegion: "CISO", timeZone: "UTC", basis: "inside")))
    #expect(resolved.isSupported && resolved.gridRegion == "CISO" && resolved.basis == "inside")
  }
}
