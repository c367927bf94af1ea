import EnergyModel
import EnergyRPC
import EnergyService
import EnergyWire
import FoundationEssentials
import GRPC
import Locking
import ServiceTestSupport
import TestSupport
import Testing

/// Runs an operator's change while the loop turns, since it waits for the loop.
private func change<Value: Sendable>(
  _ bench: Bench, _ body: @escaping @Sendable (AdminOperations) async throws -> Value
) async throws -> Value {
  let admin = bench.admin
  let isDone = Lock(false)
  let work = Task {
    defer { isDone.withLock { $0 = true } }
    return try await body(admin)
  }
  #expect(await bench.settles { isDone.withLock { $0 } })
  return try await work.value
}

@Suite struct `A change of access` {
  @Test func `ends streams before the operator is answered`() async throws {
    let bench = try await Bench()
    let call = try bench.start(.streamGuidance, bench.streamRequest(), as: bench.caller)
    #expect(await bench.settles { call.messages.count == 1 })
    let id = bench.client.id
    _ = try await change(bench) { try await $0.updateClient(id: id, ClientUpdate(isDisabled: true)) }
    #expect(await bench.settles { call.hasEnded })
    #expect(call.said == Said(.unauthenticated, "UNAUTHENTICATED"))
  }

  @Test func `reaches a call that was let in before it and is handled after it`() async throws {
    let bench = try await Bench()
    let caller = bench.caller
    let id = bench.client.id
    _ = try await change(bench) { try await $0.updateClient(id: id, ClientUpdate(isDisabled: true)) }
    for method in [MethodName.streamGuidance, .getGuidance, .listVenues] {
      let early = try bench.start(method, bench.streamRequest(), as: caller)
      #expect(await bench.settles { early.hasEnded })
      // The first asks again, since the loop has forgotten; from then on it is known.
      #expect([.unavailable, .unauthenticated].contains(early.status?.code))
      #expect(early.messages.isEmpty)
    }
  }

  @Test func `that takes an entitlement names it`() async throws {
    let bench = try await Bench()
    let call = try bench.start(.streamGuidance, bench.streamRequest(), as: bench.caller)
    #expect(await bench.settles { call.messages.count == 1 })
    let id = bench.client.id
    _ = try await change(bench) { try await $0.updateClient(id: id, ClientUpdate(entitlements: [])) }
    #expect(await bench.settles { call.hasEnded })
    #expect(
      call.said
        == Said(.permissionDenied, "PERMISSION_DENIED", ["entitlement": "com.apple.developer.energykit"]))
  }

  @Test func `of the venue is a change for its streams`() async throws {
    let bench = try await Bench()
    let call = try bench.start(.streamGuidance, bench.streamRequest(), as: bench.caller)
    #expect(await bench.settles { call.messages.count == 1 })
    let id = bench.venue.id
    var update = VenueUpdate()
    update.isLocationServicesDenied = true
    let denial = update
    _ = try await change(bench) { try await $0.updateVenue(id: id, denial) }
    #expect(await bench.settles { call.hasEnded })
    #expect(call.said == Said(.failedPrecondition, "LOCATION_SERVICES_DENIED"))
  }
}

@Suite struct `A venue's place on the map` {
  @Test(arguments: [
    (45.0, "", "", "CISO", "America/Los_Angeles", true),
    (45.0, "MISO", "America/Chicago", "MISO", "America/Chicago", true),
    (55.0, "", "", "", "America/Vancouver", false), (55.0, "MISO", "", "MISO", "America/Vancouver", false),
  ])
  func `fills in what was left out`(
    latitude: Double, region: String, zone: String, foundRegion: String, foundZone: String, isSupported: Bool
  ) async throws {
    let bench = try await Bench()
    let admin = bench.admin
    let venue = try await change(bench) {
      try await $0.createVenue(
        id: nil,
        NewVenue(
          name: "a", point: GeoPoint(latitude: latitude, longitude: -120), timeZone: zone, gridRegion: region))
    }
    #expect(venue.gridRegion == foundRegion && venue.timeZone == foundZone)
    #expect(venue.isRegionSupported == isSupported)
    // Moved to the other side, with nothing else said.
    var update = VenueUpdate()
    update.point = GeoPoint(latitude: 100 - latitude, longitude: -120)
    let move = update
    _ = try await change(bench) { try await $0.updateVenue(id: venue.id, move) }
    let moved = try await admin.venue(id: venue.id)
    #expect(moved.isRegionSupported == !isSupported)
    #expect(moved.gridRegion == (isSupported ? "" : "CISO"))
    #expect(moved.location?.latitudeHundredths == Int((100 - latitude) * 100))
  }
}
