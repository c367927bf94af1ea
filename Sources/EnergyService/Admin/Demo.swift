package import EnergyModel
package import FoundationEssentials
package import Storage

/// What `--demo` shows: three clients, three venues, a plan; every client may use every venue.
package struct Demo: Sendable {
  /// In the order in which they are listed: both entitlements, the base alone, none.
  package static let clients: [(name: String, entitlements: Set<Entitlement>)] = [
    ("Home hub", [.energyKit, .loadEventsExperience]),
    ("Wall box", [.energyKit]),
    ("Visitor", []),
  ]

  /// In California with a plan, in another region without one, outside the contiguous United States.
  package let venues: [NewVenue]
  private let plan: RatePlan

  /// - Parameters:
  ///   - plan: The California venue's.
  ///   - secondRegion: A balancing authority beside `CISO` that there is grid data for.
  package init(plan: RatePlan, secondRegion: String) {
    self.plan = plan
    venues = [
      NewVenue(
        name: "San Francisco", timeZone: "America/Los_Angeles", gridRegion: "CISO", ratePlanID: plan.id),
      NewVenue(
        name: "Houston office", timeZone: GridRegionZone.timeZone(ofRegion: secondRegion), gridRegion: secondRegion),
      NewVenue(
        name: "Honolulu", point: GeoPoint(latitude: 21.31, longitude: -157.86), timeZone: "Pacific/Honolulu",
        gridRegion: "HECO", isRegionSupported: false),
    ]
  }

  /// Makes what is not there yet. To be called before the services start, since no cache is told.
  ///
  /// - Parameter earlier: What an earlier start on the same data has written down: ids and keys stay. Where that was
  ///   lost, the ids of clients and venues of the same names stay and there are new keys.
  /// - Throws: `StoreError`, also where what was written down does not fit the store; `EnergyKitError` where the random
  ///   source fails.
  package func seed(
    _ store: any EnergyStore, earlier: DemoRoster?, now: Timestamp
  ) async throws -> DemoRoster {
    let plans = try await store.ratePlans()
    if !plans.contains(plan) { try await store.save(plan) }
    let settled = try await Self.settledIDs(earlier, store)
    var roster = DemoRoster()
    for (index, spec) in Self.clients.enumerated() {
      let noted = earlier?.clients.dropFirst(index).first
      roster.clients.append(try await client(spec.name, spec.entitlements, noted: noted, store, now: now))
    }
    for (index, spec) in venues.enumerated() {
      let noted = earlier?.venues.dropFirst(index).first
      roster.venues.append(try await venue(spec, noted: noted, store, now: now))
    }
    for venue in roster.venues {
      for client in roster.clients where !settled.isSuperset(of: [venue.id, client.id]) {
        try await store.setAccess(.granted, venueID: venue.id, clientID: client.id)
      }
    }
    return roster
  }

  /// Those that were written down and are stored: what an operator has changed about them stays.
  private static func settledIDs(_ earlier: DemoRoster?, _ store: any EnergyStore) async throws -> Set<UUID> {
    var ids: Set<UUID> = []
    for client in earlier?.clients ?? [] where try await store.client(id: client.id) != nil { ids.insert(client.id) }
    for venue in earlier?.venues ?? [] where try await store.venue(id: venue.id) != nil { ids.insert(venue.id) }
    return ids
  }

  private func client(
    _ name: String, _ entitlements: Set<Entitlement>, noted: DemoRoster.Client?, _ store: any EnergyStore,
    now: Timestamp
  ) async throws -> DemoRoster.Client {
    let id = try await clientID(name, noted: noted, store)
    let client =
      try await store.client(id: id)
      ?? Client(id: id, name: name, entitlements: entitlements, isDisabled: false, createTime: now)
    let key = if let noted, noted.id == id, let key = APIKey(noted.apiKey) { key } else { try APIKey.make() }
    if try await store.client(keyHash: key.hash.bytes)?.id != id {
      try await store.save(client, keyHash: key.hash.bytes)
    }
    return DemoRoster.Client(name: client.name, id: id, apiKey: key.text, entitlements: client.entitlements)
  }

  private func clientID(
    _ name: String, noted: DemoRoster.Client?, _ store: any EnergyStore
  ) async throws -> UUID {
    if let noted { return noted.id }
    return try await store.clients(after: nil, limit: 1_000).first { $0.name == name }?.id ?? UUID()
  }

  private func venue(
    _ spec: NewVenue, noted: DemoRoster.Venue?, _ store: any EnergyStore, now: Timestamp
  ) async throws -> DemoRoster.Venue {
    let known =
      if let noted { try await store.venue(id: noted.id) } else {
        try await store.venues(after: nil, limit: 1_000).first { $0.name == spec.name }
      }
    let venue = known ?? spec.venue(id: noted?.id ?? UUID(), createTime: now)
    if known == nil { try await store.save(venue) }
    return DemoRoster.Venue(name: venue.name, id: venue.id, gridRegion: venue.gridRegion)
  }
}

/// Who and what the demonstration consists of, with the keys in plain: what `demo.json` holds. Keys are stored hashed
/// only, so that file is the one place to have them from.
package struct DemoRoster: Hashable, Sendable {
  package struct Client: Hashable, Sendable {
    package let name: String
    package let id: UUID
    package let apiKey: String
    package let entitlements: Set<Entitlement>

    package init(name: String, id: UUID, apiKey: String, entitlements: Set<Entitlement>) {
      self.name = name
      self.id = id
      self.apiKey = apiKey
      self.entitlements = entitlements
    }
  }

  package struct Venue: Hashable, Sendable {
    package let name: String
    package let id: UUID
    package let gridRegion: String

    package init(name: String, id: UUID, gridRegion: String) {
      self.name = name
      self.id = id
      self.gridRegion = gridRegion
    }
  }

  package var clients: [Client]
  package var venues: [Venue]

  package init(clients: [Client] = [], venues: [Venue] = []) {
    self.clients = clients
    self.venues = venues
  }
}
