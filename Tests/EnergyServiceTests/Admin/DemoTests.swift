import EnergyModel
import EnergyService
import FoundationEssentials
import ServiceTestSupport
import Storage
import Testing

@Suite struct `The demonstration` {
  private func makeDemo() throws -> Demo { Demo(plan: try #require(makePlan("pge-ev2a")), secondRegion: "MISO") }

  @Test func `has three clients and three venues, all of which all may use`() async throws {
    let store = InMemoryStore()
    let roster = try await makeDemo().seed(store, earlier: nil, now: .noon)
    #expect(
      roster.clients.map(\.entitlements) == [[.energyKit, .loadEventsExperience], [.energyKit], []])
    #expect(roster.venues.map(\.gridRegion) == ["CISO", "MISO", "HECO"])
    for client in roster.clients {
      let key = try #require(APIKey(client.apiKey))
      #expect(try await AccessLoader(store: store).caller(.key(key.hash))?.id == client.id)
      let venues = try await store.venues(clientID: client.id, after: nil, limit: 10)
      #expect(Set(venues.map(\.id)) == Set(roster.venues.map(\.id)))
    }
    let stored = try await store.venues(after: nil, limit: 10)
    #expect(Set(stored.map(\.ratePlanID)) == ["pge-ev2a", nil])
    #expect(stored.filter { !$0.isRegionSupported }.map(\.timeZone) == ["Pacific/Honolulu"])
    #expect(try await store.ratePlans().map(\.id) == ["pge-ev2a"])
  }

  @Test func `is the same at a second start on the same data`() async throws {
    let store = InMemoryStore()
    let first = try await makeDemo().seed(store, earlier: nil, now: .noon)
    let second = try await makeDemo().seed(store, earlier: first, now: Timestamp.noon.advanced(bySeconds: 60))
    #expect(second == first)
    #expect(try await store.venues(after: nil, limit: 10).count == 3)
    #expect(try await store.clients(after: nil, limit: 10).count == 3)
  }

  @Test func `keeps what an operator changed`() async throws {
    let store = InMemoryStore()
    let first = try await makeDemo().seed(store, earlier: nil, now: .noon)
    let (client, venue) = (first.clients[0].id, first.venues[0].id)
    try await store.setAccess(.none, venueID: venue, clientID: client)
    var changed = try #require(try await store.venue(id: venue))
    changed.isLocationServicesDenied = true
    try await store.save(changed)
    _ = try await makeDemo().seed(store, earlier: first, now: .noon)
    #expect(try await store.venue(id: venue, clientID: client) == nil)
    #expect(try await store.venue(id: venue) == changed)
  }

  @Test func `keeps its ids where the written keys were lost, with new keys`() async throws {
    let store = InMemoryStore()
    let first = try await makeDemo().seed(store, earlier: nil, now: .noon)
    let second = try await makeDemo().seed(store, earlier: nil, now: .noon)
    #expect(second.clients.map(\.id) == first.clients.map(\.id))
    #expect(second.venues == first.venues)
    for (old, new) in zip(first.clients, second.clients) {
      #expect(old.apiKey != new.apiKey)
      let key = try #require(APIKey(new.apiKey))
      #expect(try await AccessLoader(store: store).caller(.key(key.hash))?.id == new.id)
    }
  }

  @Test func `comes back with its ids and keys where the data were lost`() async throws {
    let first = try await makeDemo().seed(InMemoryStore(), earlier: nil, now: .noon)
    let store = InMemoryStore()
    let second = try await makeDemo().seed(store, earlier: first, now: .noon)
    #expect(second == first)
    let key = try #require(APIKey(first.clients[1].apiKey))
    #expect(try await AccessLoader(store: store).caller(.key(key.hash))?.id == first.clients[1].id)
    #expect(try await store.venues(clientID: first.clients[1].id, after: nil, limit: 10).count == 3)
  }

  @Test func `makes a new key in the place of one that is none`() async throws {
    let store = InMemoryStore()
    var roster = try await makeDemo().seed(store, earlier: nil, now: .noon)
    let client = roster.clients[0]
    roster.clients[0] = DemoRoster.Client(
      name: client.name, id: client.id, apiKey: "broken", entitlements: client.entitlements)
    let again = try await makeDemo().seed(store, earlier: roster, now: .noon)
    #expect(APIKey(again.clients[0].apiKey) != nil)
    #expect(again.clients[0].id == client.id)
  }
}
