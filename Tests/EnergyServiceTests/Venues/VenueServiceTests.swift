import EnergyModel
import FoundationEssentials
import ServiceTestSupport
import Storage
import Testing

@testable import EnergyService

/// A client and venues of every kind of access, each with a home.
private struct Bench {
  let store = ProbeStore()
  let service: VenueService
  let client = makeClient()
  var venues: [VenueAccess: EnergyVenue] = [:]

  init() async throws {
    service = VenueService(store: store)
    try await store.save(client, keyHash: nil)
    for access in [VenueAccess.none, .granted, .denied, .restricted] {
      let venue = makeVenue("\(access)", homeID: UUID())
      try await store.save(venue)
      try await store.setAccess(access, venueID: venue.id, clientID: client.id)
      venues[access] = venue
    }
  }

  func venue(homeID: UUID, as caller: Caller) async throws -> EnergyVenue {
    try service.venue(await service.pass(homeID: homeID, as: caller), as: caller)
  }

  func caller(_ entitlements: Set<Entitlement>) -> Caller {
    var client = client
    client.entitlements = entitlements
    return Caller(client)
  }
}

@Suite struct `Venues` {
  /// What each kind of access lets a client see.
  private static let table: [(VenueAccess, EnergyKitError?)] = [
    (.granted, nil), (.restricted, nil), (.denied, .permissionDenied(.venue)), (.none, .venueUnavailable),
  ]

  @Test(arguments: table)
  func `are found by id and by home as access allows`(access: VenueAccess, refusal: EnergyKitError?) async throws {
    let bench = try await Bench()
    let caller = bench.caller([.energyKit])
    let venue = try #require(bench.venues[access])
    let homeID = try #require(venue.homeID)
    let pass = try await AccessLoader(store: bench.store).grant(clientID: caller.id, venueID: venue.id)
      .map { VenuePass($0, clientID: caller.id) }
    if let refusal {
      #expect(throws: refusal) { _ = try bench.service.venue(pass, as: caller) }
      await #expect(throws: refusal) { _ = try await bench.venue(homeID: homeID, as: caller) }
    } else {
      #expect(try bench.service.venue(pass, as: caller) == venue)
      #expect(try await bench.venue(homeID: homeID, as: caller) == venue)
    }
  }

  @Test func `are as if absent where there is none`() async throws {
    let bench = try await Bench()
    let caller = bench.caller([.energyKit])
    #expect(throws: EnergyKitError.venueUnavailable) { _ = try bench.service.venue(nil, as: caller) }
    await #expect(throws: EnergyKitError.venueUnavailable) {
      _ = try await bench.venue(homeID: UUID(), as: caller)
    }
  }

  @Test(arguments: [[], [.loadEventsExperience]] as [Set<Entitlement>])
  func `need the base entitlement, whatever venue is asked for`(entitlements: Set<Entitlement>) async throws {
    let bench = try await Bench()
    let caller = bench.caller(entitlements)
    let refusal = EnergyKitError.permissionDenied(.entitlement(.energyKit))
    #expect(throws: refusal) { _ = try bench.service.venue(nil, as: caller) }
    await #expect(throws: refusal) { _ = try await bench.venue(homeID: UUID(), as: caller) }
    await #expect(throws: refusal) { _ = try await bench.service.list(as: caller, after: nil, limit: 10) }
    #expect(bench.store.questionCount("venues(clientID,after,limit)") == 0)
  }

  @Test func `are listed where they may be seen`() async throws {
    let bench = try await Bench()
    let page = try await bench.service.list(as: bench.caller([.energyKit]), after: nil, limit: 10)
    #expect(page.items.map(\.name) == ["granted", "restricted"])
    #expect(page.next == nil)
    #expect(bench.store.questionCount("venues(clientID,after,limit)") == 1)
  }

  @Test(arguments: [1, 2, 3, 6, 7, 8, 100])
  func `are listed page by page, each once`(limit: Int) async throws {
    let bench = try await Bench()
    for index in 0..<5 {
      let venue = makeVenue("venue \(index / 2)")
      try await bench.store.save(venue)
      try await bench.store.setAccess(.granted, venueID: venue.id, clientID: bench.client.id)
    }
    let caller = bench.caller([.energyKit])
    let all = try await bench.service.list(as: caller, after: nil, limit: 1_000).items
    var found: [EnergyVenue] = []
    var cursor: NameCursor?
    var pageCount = 0
    repeat {
      let page = try await bench.service.list(as: caller, after: cursor, limit: limit)
      #expect(page.items.count <= limit)
      found += page.items
      cursor = page.next
      pageCount += 1
    } while cursor != nil
    #expect(found == all && all.count == 7)
    #expect(pageCount == (7 + limit - 1) / limit)
  }

  @Test func `are an empty list for a client without any`() async throws {
    let bench = try await Bench()
    let stranger = Caller(makeClient())
    #expect(try await bench.service.list(as: stranger, after: nil, limit: 10).items.isEmpty)
  }

  @Test func `cannot be had from a store that fails`() async throws {
    let bench = try await Bench()
    bench.store.fail(with: .busy)
    await #expect(throws: EnergyKitError.serviceUnavailable(retryAfterSeconds: 1)) {
      _ = try await bench.service.list(as: bench.caller([.energyKit]), after: nil, limit: 10)
    }
  }
}
