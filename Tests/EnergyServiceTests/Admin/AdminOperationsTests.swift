import EnergyModel
import EnergyService
import FoundationEssentials
import Locking
import ServiceTestSupport
import Storage
import Testing

private final class Bench: Sendable {
  let store = ProbeStore()
  let clock = ManualClock()
  let guidance: GuidanceService
  let admin: AdminOperations
  private let heard: Lock<[AccessChange]>

  init() async throws {
    let changes = AccessChanges()
    let heard = Lock<[AccessChange]>([])
    changes.register { change in heard.withLock { $0.append(change) } }
    self.heard = heard
    guidance = try await GuidanceService.start(store: store, clock: clock.service, source: TestSource())
    admin = AdminOperations(store: store, clock: clock.service, guidance: guidance, changes: changes)
  }

  var changesHeard: [AccessChange] { heard.withLock { $0 } }
}

private let toMISO = {
  var update = VenueUpdate()
  update.gridRegion = "MISO"
  return update
}()
private let home = NewVenue(name: "home", timeZone: "America/Los_Angeles", gridRegion: "CISO")

@Suite struct `The operator` {
  @Test func `makes a client whose key works`() async throws {
    let bench = try await Bench()
    let created = try await bench.admin.createClient(id: nil, name: "hub", entitlements: [.energyKit])
    let key = try #require(created.key)
    let caller = try await AccessLoader(store: bench.store).caller(.key(key.hash))
    #expect(caller?.client == created.client)
    #expect(bench.changesHeard == [.client(created.client.id)])
  }

  @Test func `may repeat the making of a client, not change it so`() async throws {
    let bench = try await Bench()
    let id = UUID()
    let first = try await bench.admin.createClient(id: id, name: "hub", entitlements: [.energyKit])
    let second = try await bench.admin.createClient(id: id, name: "hub", entitlements: [.energyKit])
    #expect(second.client == first.client && second.key == nil && first.key != nil)
    await #expect(throws: AdminFailure.alreadyExists(.client(id: id.text))) {
      _ = try await bench.admin.createClient(id: id, name: "other", entitlements: [.energyKit])
    }
    await #expect(throws: AdminFailure.alreadyExists(.client(id: id.text))) {
      _ = try await bench.admin.createClient(id: id, name: "hub", entitlements: [])
    }
  }

  @Test func `makes one client of many requests at the same time`() async throws {
    let bench = try await Bench()
    let gate = Gate()
    bench.store.hold(at: gate)
    let id = UUID()
    let keyCount = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await bench.admin.createClient(id: id, name: "hub", entitlements: []).key == nil ? 0 : 1
        }
      }
      // All have asked by then, unless they wait for each other.
      try await Task.sleep(for: .milliseconds(50))
      gate.open()
      return try await group.reduce(0, +)
    }
    #expect(keyCount == 1)
  }

  @Test func `disables a client, whose key then opens nothing`() async throws {
    let bench = try await Bench()
    let created = try await bench.admin.createClient(id: nil, name: "hub", entitlements: [.energyKit])
    _ = try await bench.admin.updateClient(id: created.client.id, ClientUpdate(isDisabled: true))
    #expect(try await AccessLoader(store: bench.store).caller(.key(#require(created.key).hash)) == nil)
    #expect(bench.changesHeard == [.client(created.client.id), .client(created.client.id)])
    let stranger = UUID()
    await #expect(throws: AdminFailure.notFound(.client(id: stranger.text))) {
      _ = try await bench.admin.updateClient(id: stranger, ClientUpdate(isDisabled: true))
    }
  }

  @Test func `makes a venue that has guidance at once`() async throws {
    let bench = try await Bench()
    let venue = try await bench.admin.createVenue(id: nil, home)
    for action in SuggestedAction.allCases {
      #expect(bench.guidance.current(GuidanceSeries(of: venue, action: action)) != nil)
    }
    #expect(try await bench.store.venue(id: venue.id) == venue)
    #expect(bench.changesHeard == [.venue(venue.id)])
  }

  @Test func `makes no venue again before the events of the former one are gone`() async throws {
    let bench = try await Bench()
    let id = UUID()
    _ = try await bench.admin.createVenue(id: id, home)
    // As a crash leaves it: gone, with its events to be erased.
    #expect(try await bench.store.deleteVenue(id: id))
    await #expect(throws: AdminFailure.energyKit(.inProgress)) {
      _ = try await bench.admin.createVenue(id: id, home)
    }
    // Where that failed it may be repeated.
    try await bench.admin.deleteVenue(id: id)
    await #expect(throws: AdminFailure.notFound(.venue(id: id.text))) { try await bench.admin.deleteVenue(id: id) }
    _ = try await bench.admin.createVenue(id: id, home)
  }

  @Test func `may repeat the making of a venue, not change it so`() async throws {
    let bench = try await Bench()
    let id = UUID()
    let first = try await bench.admin.createVenue(id: id, home)
    bench.clock.advance(seconds: 10)
    #expect(try await bench.admin.createVenue(id: id, home) == first)
    var other = home
    other.gridRegion = "MISO"
    let changed = other
    await #expect(throws: AdminFailure.alreadyExists(.venue(id: id.text))) {
      _ = try await bench.admin.createVenue(id: id, changed)
    }
  }

  @Test(arguments: ["", "PST", "Mars/Olympus", "america"])
  func `cannot place a venue in a zone that is none`(zone: String) async throws {
    let bench = try await Bench()
    let failure = await #expect(throws: AdminFailure.self) {
      _ = try await bench.admin.createVenue(id: nil, NewVenue(name: "home", timeZone: zone, gridRegion: "CISO"))
    }
    guard case .invalidRequest(let request) = failure else { return #expect(Bool(false), "\(failure as Any)") }
    #expect(request.field == "time_zone")
  }

  @Test func `cannot link a plan that is not there`() async throws {
    let bench = try await Bench()
    let new = NewVenue(name: "home", timeZone: "America/Los_Angeles", gridRegion: "CISO", ratePlanID: "tou")
    await #expect(throws: AdminFailure.notFound(.ratePlan(id: "tou"))) {
      _ = try await bench.admin.createVenue(id: nil, new)
    }
    try await bench.admin.createRatePlan(#require(makePlan()))
    let venue = try await bench.admin.createVenue(id: nil, new)
    let revision = bench.guidance.current(GuidanceSeries(of: venue, action: .shift))
    #expect(revision?.options == [.locationHasRatePlan, .guidanceIncorporatesRatePlan])
    try await bench.admin.createRatePlan(#require(makePlan()))
    await #expect(throws: AdminFailure.alreadyExists(.ratePlan(id: "tou"))) {
      try await bench.admin.createRatePlan(#require(makePlan(peak: 2)))
    }
  }

  @Test func `changes a venue`() async throws {
    let bench = try await Bench()
    let venue = try await bench.admin.createVenue(id: nil, home)
    let moved = try await bench.admin.updateVenue(id: venue.id, toMISO)
    #expect(moved.gridRegion == "MISO")
    #expect(try await bench.store.venue(id: venue.id) == moved)
    #expect(bench.guidance.current(GuidanceSeries(of: moved, action: .shift)) != nil)
    #expect(bench.changesHeard.count == 2)
    let nowhere = UUID()
    await #expect(throws: AdminFailure.notFound(.venue(id: nowhere.text))) {
      _ = try await bench.admin.updateVenue(id: nowhere, toMISO)
    }
  }

  @Test func `gives and takes access`() async throws {
    let bench = try await Bench()
    let client = try await bench.admin.createClient(id: nil, name: "hub", entitlements: [.energyKit]).client
    let venue = try await bench.admin.createVenue(id: nil, home)
    for access in [VenueAccess.granted, .restricted, .denied] {
      try await bench.admin.setAccess(access, venueID: venue.id, clientID: client.id)
      #expect(try await bench.store.venue(id: venue.id, clientID: client.id)?.access == access)
    }
    #expect(bench.changesHeard.last == .access(clientID: client.id, venueID: venue.id))
    await #expect(throws: AdminFailure.notFound(.client(id: venue.id.text))) {
      try await bench.admin.setAccess(.granted, venueID: venue.id, clientID: venue.id)
    }
    await #expect(throws: AdminFailure.notFound(.venue(id: client.id.text))) {
      try await bench.admin.setAccess(.granted, venueID: client.id, clientID: client.id)
    }
  }

  @Test func `hears of a store that fails, and nobody hears of a change`() async throws {
    let bench = try await Bench()
    bench.store.fail(with: .busy)
    let failure = AdminFailure.energyKit(.serviceUnavailable(retryAfterSeconds: 1))
    await #expect(throws: failure) { _ = try await bench.admin.createClient(id: nil, name: "", entitlements: []) }
    await #expect(throws: failure) { _ = try await bench.admin.createVenue(id: nil, home) }
    await #expect(throws: failure) { _ = try await bench.admin.publish(makeRun(issued: .noon, typicalCarbon)) }
    #expect(bench.changesHeard.isEmpty)
  }
}
