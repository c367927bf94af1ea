import EnergyModel
import FoundationEssentials
import Storage
import StorageTestSupport
import Testing

@Suite struct `Stored clients` {
  @Test(arguments: StoreKind.allCases)
  func `are found by id and by each of their keys`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var client = Sample.client(1)
      let (first, second) = (key(1), key(2))
      #expect(try await store.client(keyHash: first) == nil)
      try await store.save(client, keyHash: first)
      client.name = "Renamed"
      client.entitlements = [.energyKit, .loadEventsExperience]
      client.isDisabled = true
      try await store.save(client, keyHash: second)
      client.entitlements = []
      try await store.save(client, keyHash: nil)
      #expect(try await store.client(keyHash: first) == client)
      #expect(try await store.client(keyHash: second) == client)
      #expect(try await store.client(id: client.id) == client)
      #expect(try await store.client(id: Sample.uuid(9)) == nil)
      #expect(try await store.client(keyHash: []) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `never share a key`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      try await store.save(Sample.client(1), keyHash: key(1))
      await #expect(throws: StoreError.self) { try await store.save(Sample.client(2), keyHash: key(1)) }
      #expect(try await store.client(id: Sample.uuid(2)) == nil)
      try await store.save(Sample.client(1), keyHash: key(1))
      #expect(try await store.client(keyHash: key(1)) == Sample.client(1))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `are listed by the bytes of their names, then ids, page by page`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let names = ["b", "B", "é", "e\u{301}", "a", "a", "", "a\0b", "日本"]
      for (number, name) in names.enumerated() {
        try await store.save(Sample.client(UInt64(number), name: name), keyHash: nil)
      }
      let ordered = ["", "B", "a", "a", "a\0b", "b", "e\u{301}", "é", "日本"]
      let all = try await store.clients(after: nil, limit: 100)
      #expect(all.map { Array($0.name.utf8) } == ordered.map { Array($0.utf8) })
      #expect(all[2].id == Sample.uuid(4) && all[3].id == Sample.uuid(5))
      var paged: [Client] = []
      while true {
        let cursor = paged.last.map { NameCursor(name: $0.name, id: $0.id) }
        let page = try await store.clients(after: cursor, limit: 2)
        if page.isEmpty { break }
        paged += page
      }
      #expect(paged == all)
      #expect(try await store.clients(after: nil, limit: 0).isEmpty)
      #expect(try await store.clients(after: nil, limit: -1).isEmpty)
    }
  }
}

@Suite struct `Stored venues` {
  @Test(arguments: StoreKind.allCases)
  func `come back as they were saved last`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var venue = Sample.venue(1, homeID: Sample.uuid(50))
      try await store.save(venue)
      #expect(try await store.venue(id: venue.id) == venue)
      venue.name = "Ocean view"
      venue.homeID = nil
      venue.timeZone = "Pacific/Honolulu"
      venue.gridRegion = ""
      venue.ratePlanID = nil
      venue.incorporatesRatePlan = false
      venue.isRegionSupported = false
      venue.isLocationServicesDenied = true
      try await store.save(venue)
      #expect(try await store.venue(id: venue.id) == venue)
      #expect(try await store.venues(after: nil, limit: 10) == [venue])
      #expect(try await store.venue(id: Sample.uuid(2)) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases, [VenueAccess.none, .granted, .denied, .restricted])
  func `are seen as the access allows`(kind: StoreKind, access: VenueAccess) async throws {
    try await kind.withStore { store in
      let venue = Sample.venue(1, homeID: Sample.uuid(50))
      let client = Sample.client(7)
      try await store.save(venue)
      try await store.save(client, keyHash: nil)
      #expect(try await store.venue(id: venue.id, clientID: client.id) == nil)
      try await store.setAccess(.granted, venueID: venue.id, clientID: client.id)
      try await store.setAccess(access, venueID: venue.id, clientID: client.id)
      let expected = access == .none ? nil : VenueGrant(venue: venue, access: access)
      #expect(try await store.venue(id: venue.id, clientID: client.id) == expected)
      #expect(try await store.venue(homeID: Sample.uuid(50), clientID: client.id) == expected)
      #expect(try await store.venue(id: venue.id, clientID: Sample.uuid(8)) == nil)
      #expect(try await store.venue(homeID: Sample.uuid(51), clientID: client.id) == nil)
      let isListed = access == .granted || access == .restricted
      #expect(try await store.venues(clientID: client.id, after: nil, limit: 10) == (isListed ? [venue] : []))
      // Saving the venue or the client again changes no access.
      try await store.save(venue)
      try await store.save(client, keyHash: nil)
      #expect(try await store.venue(id: venue.id, clientID: client.id) == expected)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `of one home are told apart by access, then by name`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let home = Sample.uuid(50)
      try await store.save(Sample.client(7), keyHash: nil)
      for (number, name) in [(1, "b"), (2, "a"), (3, "0")] as [(UInt64, String)] {
        try await store.save(Sample.venue(number, name: name, homeID: home))
      }
      try await store.setAccess(.granted, venueID: Sample.uuid(1), clientID: Sample.uuid(7))
      try await store.setAccess(.denied, venueID: Sample.uuid(2), clientID: Sample.uuid(7))
      let found = try await store.venue(homeID: home, clientID: Sample.uuid(7))
      #expect(found?.venue.id == Sample.uuid(1) && found?.access == .granted)
      try await store.setAccess(.restricted, venueID: Sample.uuid(2), clientID: Sample.uuid(7))
      #expect(try await store.venue(homeID: home, clientID: Sample.uuid(7))?.venue.id == Sample.uuid(2))
      // One that is denied is told as such where there is no other.
      for number in 1...2 as ClosedRange<UInt64> {
        try await store.setAccess(.denied, venueID: Sample.uuid(number), clientID: Sample.uuid(7))
      }
      let denied = try await store.venue(homeID: home, clientID: Sample.uuid(7))
      #expect(denied?.venue.id == Sample.uuid(2) && denied?.access == .denied)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `are listed by name, then id, page by page`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      try await store.save(Sample.client(7), keyHash: nil)
      for number in 0..<25 as Range<UInt64> {
        try await store.save(Sample.venue(100 + number, name: "home \(number % 5)"))
        let access: VenueAccess = number.isMultiple(of: 3) ? .restricted : .granted
        if number != 4 {
          try await store.setAccess(access, venueID: Sample.uuid(100 + number), clientID: Sample.uuid(7))
        }
      }
      let all = try await store.venues(after: nil, limit: 100)
      #expect(all.count == 25)
      #expect(all.map(\.name) == all.map(\.name).sorted())
      var paged: [EnergyVenue] = []
      for _ in 0..<7 {
        let cursor = paged.last.map { NameCursor(name: $0.name, id: $0.id) }
        paged += try await store.venues(clientID: Sample.uuid(7), after: cursor, limit: 4)
      }
      #expect(paged == all.filter { $0.id != Sample.uuid(104) })
      #expect(try await store.venues(clientID: Sample.uuid(8), after: nil, limit: 4).isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `and clients must exist before access is set`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      try await store.save(Sample.client(7), keyHash: nil)
      await #expect(throws: StoreError.self) {
        try await store.setAccess(.granted, venueID: Sample.uuid(1), clientID: Sample.uuid(7))
      }
      try await store.save(Sample.venue(1))
      await #expect(throws: StoreError.self) {
        try await store.setAccess(.none, venueID: Sample.uuid(1), clientID: Sample.uuid(8))
      }
    }
  }
}

@Suite struct `Stored grid data` {
  @Test(arguments: StoreKind.allCases)
  func `keeps rate plans`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let plans = try [plan("pge-ev2a", price: 0.31), plan("B", price: -0.001), plan("a", price: 1e-9)]
      for plan in plans { try await store.save(plan) }
      #expect(try await store.ratePlans() == [plans[1], plans[2], plans[0]])
      let replaced = try plan("a", price: 0.25)
      try await store.save(replaced)
      #expect(try await store.ratePlans() == [plans[1], replaced, plans[0]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `keeps signals, the newest of each publication`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let key = SignalKey(gridRegion: "CISO", kind: .carbonAverage, model: "m1")
      let first = try signal(key, hour: 1, values: [0.1, 1e-300, -3])
      let measured = try signal(key, hour: 1, isMeasured: true, values: [5])
      let price = try signal(SignalKey(gridRegion: "CISO", kind: .price, model: "a"), hour: 1, values: [7])
      let later = try signal(key, hour: 2, values: [])
      let elsewhere = try signal(SignalKey(gridRegion: "MISO", kind: .price, model: "a"), hour: 1, values: [8])
      for signal in [later, price, measured, first, elsewhere] { try await store.append(signal) }
      #expect(try await store.signals(gridRegion: "CISO", since: hour(0)) == [first, measured, price, later])
      #expect(try await store.signals(gridRegion: "CISO", since: hour(2)) == [later])
      #expect(try await store.signals(gridRegion: "CISO", since: hour(3)).isEmpty)
      #expect(try await store.signals(gridRegion: "MISO", since: hour(1)) == [elsewhere])
      let corrected = try signal(key, hour: 1, values: [0.2])
      try await store.append(corrected)
      #expect(try await store.signals(gridRegion: "CISO", since: hour(0)) == [corrected, measured, price, later])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `keeps every revision and knows the newest of each series`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      #expect(try await store.currentRevisions().isEmpty)
      let plain = GuidanceSeries(gridRegion: "CISO", action: .shift, ratePlan: nil)
      let reduce = GuidanceSeries(gridRegion: "CISO", action: .reduce, ratePlan: nil)
      let planned = GuidanceSeries(
        gridRegion: "CISO", action: .shift,
        ratePlan: .init(ratePlanID: "pge-ev2a", timeZone: "America/Los_Angeles", isIncorporated: true))
      let newest = try [
        revision(plain, second: 10, number: 2), revision(reduce, second: 9, number: 0),
        revision(planned, second: 11, number: 65_535),
      ]
      let older = try [
        revision(plain, second: 10, number: 1), revision(plain, second: 9, number: 3),
        revision(planned, second: 10, number: 65_535),
      ]
      for revision in [older[0], newest[0], older[1], older[2], newest[1], newest[2]] {
        try await store.append(revision)
      }
      #expect(try await Set(store.currentRevisions()) == Set(newest))
      await #expect(throws: StoreError.self) { try await store.append(older[0]) }
      #expect(try await Set(store.currentRevisions()) == Set(newest))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `keeps the keys of the guidance token, newest first`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let ids: [(UInt8, Int64)] = [(0, 5), (255, 7), (3, 6), (4, 6)]
      let keys = ids.map { id, second in
        MasterKey(id: id, secret: [id] + Array(1...31), createTime: Timestamp(seconds: second))
      }
      for key in keys { try await store.append(key) }
      #expect(try await store.masterKeys() == [keys[1], keys[3], keys[2], keys[0]])
      await #expect(throws: StoreError.self) {
        try await store.append(MasterKey(id: 3, secret: [], createTime: Sample.noon))
      }
      #expect(try await store.masterKeys().count == 4)
    }
  }
}

private func key(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

private func hour(_ number: Int64) -> Timestamp { Sample.noon.advanced(bySeconds: number * 3600) }

private func plan(_ id: String, price: Double) throws -> RatePlan {
  let schedule = (0..<12).map { month in (0..<24).map { ($0 + month) % 2 } }
  return try #require(
    RatePlan(
      id: id, name: "Plan \(id)", utility: "PG&E", periodPricesUSDPerKWh: [price, 0.1 + 0.2],
      weekdaySchedule: schedule, weekendSchedule: schedule.reversed(), startTime: nil, endTime: Sample.noon))
}

private func signal(
  _ key: SignalKey, hour number: Int64, isMeasured: Bool = false, values: [Double]
) throws -> GridSignal {
  let points = try values.enumerated().map { offset, value in
    try #require(
      SignalPoint(
        interval: Interval(start: hour(Int64(offset)), milliseconds: 300_000), value: value,
        quality: offset.isMultiple(of: 2) ? .forecast : .climatology))
  }
  return GridSignal(key: key, isMeasured: isMeasured, issueTime: hour(number), points: points)
}

private func revision(_ series: GuidanceSeries, second: Int64, number: UInt16) throws -> GuidanceRevision {
  let values = try (0..<3).map { offset in
    GuidanceValue(
      interval: Interval(start: hour(Int64(offset)), milliseconds: 3_600_000),
      rating: try #require(Rating(Double(offset) / 3)))
  }
  return GuidanceRevision(
    series: series, issueTime: Timestamp(seconds: second), number: number, options: [.locationHasRatePlan],
    values: values, nextUpdateTime: hour(1),
    explanations: [
      RatingExplanation(quality: .measured), RatingExplanation(carbonKind: .price, quality: .climatology),
      RatingExplanation(
        carbonKind: .carbonMarginal, carbonModel: "m \"1\"", carbonIntensity: 0.1 + 0.2, referenceRank: 1e-17,
        horizonRank: 1, horizonMateriality: 0, priceUSDPerKWh: -0.05, priceScore: 1.0 / 3, priceMateriality: 0.7,
        quality: .estimated, isGridEvent: true),
    ])
}

@Suite struct `Events of a day` {
  private struct Case {
    let count: Int
    var minimum = 1
    var client: UInt64 = 1
    var day: Int64 = 7
    var limit = 100
    let granted: Int
  }

  @Test(arguments: StoreKind.allCases)
  func `are handed out up to the limit, each day anew, to each client its own`(kind: StoreKind) async throws {
    let cases = [
      Case(count: 40, granted: 40), Case(count: 50, granted: 50), Case(count: 50, minimum: 11, granted: 0),
      Case(count: 50, minimum: 10, granted: 10), Case(count: 50, granted: 0), Case(count: 50, limit: 60, granted: 0),
      Case(count: 50, client: 2, granted: 50), Case(count: 50, day: 8, granted: 50),
    ]
    try await kind.withStore { store in
      for each in cases {
        let granted = try await store.leaseDailyEvents(
          each.count, atLeast: each.minimum, of: Sample.uuid(each.client), day: each.day, limit: each.limit)
        #expect(granted == each.granted)
      }
    }
  }
}
