import EnergyModel
import FoundationEssentials
import SQLiteStorage
import Storage
import StorageTestSupport
import Testing

private func hash(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
private func later(_ seconds: Int64) -> Timestamp { Sample.noon.advanced(bySeconds: seconds) }

@Suite struct `The keys of a client` {
  @Test(arguments: StoreKind.allCases)
  func `end when another takes their place`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let client = Sample.client(1)
      try await store.save(client, keyHash: hash(1))
      try await store.save(Sample.client(2), keyHash: hash(9))
      #expect(try await store.keyOwner(hash(1)) == KeyOwner(client: client, endTime: nil))
      try await store.replaceKeys(of: client.id, by: hash(2), othersEnd: later(60), now: later(0))
      #expect(try await store.keyOwner(hash(1))?.endTime == later(60))
      #expect(try await store.keyOwner(hash(2)) == KeyOwner(client: client, endTime: nil))
      // Never later than they would have ended.
      try await store.replaceKeys(of: client.id, by: hash(3), othersEnd: later(3600), now: later(1))
      #expect(try await store.keyOwner(hash(1))?.endTime == later(60))
      #expect(try await store.keyOwner(hash(2))?.endTime == later(3600))
      // Those that have ended are forgotten.
      try await store.replaceKeys(of: client.id, by: hash(4), othersEnd: later(7200), now: later(60))
      #expect(try await store.keyOwner(hash(1)) == nil)
      try await store.replaceKeys(of: client.id, by: hash(5), othersEnd: later(70), now: later(70))
      for byte in 1...4 as ClosedRange<UInt8> { #expect(try await store.keyOwner(hash(byte)) == nil) }
      #expect(try await store.keyOwner(hash(5)) == KeyOwner(client: client, endTime: nil))
      #expect(try await store.keyOwner(hash(9))?.endTime == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `are nobody else's, and not of nobody`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      try await store.save(Sample.client(1), keyHash: hash(1))
      try await store.save(Sample.client(2), keyHash: hash(2))
      await #expect(throws: StoreError.self) {
        try await store.replaceKeys(of: Sample.uuid(1), by: hash(2), othersEnd: later(0), now: later(0))
      }
      await #expect(throws: StoreError.self) {
        try await store.replaceKeys(of: Sample.uuid(3), by: hash(3), othersEnd: later(0), now: later(0))
      }
      #expect(try await store.keyOwner(hash(1))?.client.id == Sample.uuid(1))
      #expect(try await store.keyOwner(hash(2))?.client.id == Sample.uuid(2))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `go with it, and so does its access`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      try await store.save(Sample.client(1), keyHash: hash(1))
      try await store.save(Sample.client(2), keyHash: hash(2))
      try await store.save(Sample.venue(5))
      for number in [1, 2] as [UInt64] {
        try await store.setAccess(.granted, venueID: Sample.uuid(5), clientID: Sample.uuid(number))
      }
      #expect(try await store.deleteClient(id: Sample.uuid(1)))
      #expect(try await !store.deleteClient(id: Sample.uuid(1)))
      #expect(try await store.keyOwner(hash(1)) == nil)
      #expect(try await store.client(id: Sample.uuid(1)) == nil)
      try await store.save(Sample.client(1), keyHash: nil)
      #expect(try await store.venue(id: Sample.uuid(5), clientID: Sample.uuid(1)) == nil)
      #expect(try await store.venue(id: Sample.uuid(5), clientID: Sample.uuid(2)) != nil)
    }
  }
}

@Suite struct `Access to venues` {
  @Test(arguments: StoreKind.allCases)
  func `is listed by venue, then client, page by page`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var all: [VenueAccessEntry] = []
      for client in 1...4 as ClosedRange<UInt64> { try await store.save(Sample.client(client), keyHash: nil) }
      for venue in 11...13 as ClosedRange<UInt64> {
        try await store.save(Sample.venue(venue))
        let levels: [(UInt64, VenueAccess)] = [(1, .granted), (2, .none), (3, .denied), (4, .restricted)]
        for (client, access) in levels {
          try await store.setAccess(access, venueID: Sample.uuid(venue), clientID: Sample.uuid(client))
          if access == .none { continue }
          all.append(VenueAccessEntry(venueID: Sample.uuid(venue), clientID: Sample.uuid(client), access: access))
        }
      }
      var paged: [VenueAccessEntry] = []
      while true {
        let page = try await store.venueAccess(venueID: nil, clientID: nil, after: paged.last?.cursor, limit: 2)
        if page.isEmpty { break }
        paged += page
      }
      #expect(paged == all)
      let (venue, client) = (Sample.uuid(12), Sample.uuid(4))
      #expect(
        try await store.venueAccess(venueID: venue, clientID: nil, after: nil, limit: 9)
          == all.filter { $0.venueID == venue })
      #expect(
        try await store.venueAccess(
          venueID: nil, clientID: client, after: AccessCursor(venueID: Sample.uuid(11), clientID: client), limit: 9)
          == all.filter { $0.clientID == client && $0.venueID != Sample.uuid(11) })
      #expect(try await store.venueAccess(venueID: venue, clientID: client, after: nil, limit: 9).count == 1)
      #expect(try await store.venueAccess(venueID: venue, clientID: Sample.uuid(2), after: nil, limit: 9).isEmpty)
    }
  }
}

@Suite struct `A venue's place` {
  @Test(arguments: StoreKind.allCases)
  func `is kept rounded`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var venue = Sample.venue(1)
      for (latitude, longitude) in [(37.774929, -122.419416), (-89.996, 179.999), (0, 0)] {
        let point = try #require(GeoPoint(latitude: latitude, longitude: longitude))
        venue.location = VenueLocation(rounding: point)
        try await store.save(venue)
        let kept = try #require(try await store.venue(id: venue.id)?.location)
        #expect(kept == venue.location)
        #expect(kept.point?.latitude == (latitude * 100).rounded() / 100)
      }
      venue.location = nil
      try await store.save(venue)
      #expect(try await store.venue(id: venue.id) == venue)
    }
  }
}

@Suite struct `Erasure` {
  /// Sessions of two devices by two clients at two venues.
  private func fill(_ store: any EnergyStore) async throws -> [Batch] {
    for number in 1...2 as ClosedRange<UInt64> {
      try await store.save(Sample.client(number), keyHash: nil)
      try await store.save(Sample.venue(10 + number))
    }
    var batches: [Batch] = []
    for (client, venue) in [(1, 11), (1, 12), (2, 11)] as [(UInt64, UInt64)] {
      for device in ["first", "second"] {
        let id = UInt64(batches.count) * 100
        let session = Sample.uuid(id + 50)
        var batch = Batch([
          Sample.vehicle(id: Sample.uuid(id), energy: 0, session: session, device: device),
          Sample.vehicle(id: Sample.uuid(id + 1), at: later(1), state: .active, session: session, device: device),
        ])
        batch.clientID = Sample.uuid(client)
        batch.venueID = Sample.uuid(venue)
        batches.append(batch)
        #expect(await store.outcome(of: batch) == .stored(2))
      }
    }
    return batches
  }

  private func isThere(_ batch: Batch, in store: any EnergyStore) async -> Bool {
    await store.outcome(of: batch) == .stored(0, duplicates: 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `of a venue takes its events and sessions, and no others`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let batches = try await fill(store)
      #expect(try await store.deleteVenue(id: Sample.uuid(11)))
      #expect(try await !store.deleteVenue(id: Sample.uuid(11)))
      #expect(try await store.venue(id: Sample.uuid(11)) == nil)
      #expect(try await store.erase(EventErasure(venueID: Sample.uuid(11))) == 8)
      #expect(try await store.erase(EventErasure(venueID: Sample.uuid(11))) == 0)
      for batch in batches {
        // What is gone is new again, its sessions too.
        #expect(await isThere(batch, in: store) == (batch.venueID != Sample.uuid(11)))
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `of a venue is under way until its events are gone`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      _ = try await fill(store)
      let (first, second) = (Sample.uuid(11), Sample.uuid(12))
      #expect(try await !store.isErasing(venueID: first))
      #expect(try await store.deleteVenue(id: first))
      #expect(try await store.isErasing(venueID: first))
      #expect(try await !store.isErasing(venueID: second))
      // Of a device it is nobody's business but the device's.
      _ = try await store.erase(EventErasure(venueID: first, device: .init(clientID: Sample.uuid(1), id: "first")))
      #expect(try await store.isErasing(venueID: first))
      _ = try await store.erase(EventErasure(venueID: first))
      #expect(try await !store.isErasing(venueID: first))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `takes what was submitted before it, committed or not`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let mailbox = TestMailbox()
      let batches = (0..<300).map { number -> Batch in
        var batch = Batch([Sample.vehicle(id: Sample.uuid(UInt64(1_000 + number)), energy: 0, device: "d\(number % 9)")]
        )
        batch.venueID = Sample.uuid(11)
        return batch
      }
      for batch in batches { mailbox.submit(batch, to: store) { _ in } }
      let erasedCount = try await store.erase(EventErasure(venueID: Sample.uuid(11)))
      #expect(erasedCount == 300)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `of a device takes its events and sessions, and no others`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let batches = try await fill(store)
      let device = EventErasure.Device(clientID: Sample.uuid(1), id: "first")
      #expect(try await store.erase(EventErasure(venueID: Sample.uuid(11), device: device)) == 2)
      for (index, batch) in batches.enumerated() { #expect(await isThere(batch, in: store) == (index != 0)) }
    }
  }

  @Test func `goes on after a crash`() async throws {
    try await withTemporaryDirectory { directory in
      var store = try SQLiteStore(directory: directory)
      let batches = try await fill(store)
      #expect(try await store.deleteVenue(id: Sample.uuid(11)))
      await store.close()
      store = try SQLiteStore(directory: directory)
      #expect(try await store.isErasing(venueID: Sample.uuid(11)))
      try await store.finishErasures()
      #expect(try await !store.isErasing(venueID: Sample.uuid(11)))
      for batch in batches { #expect(await isThere(batch, in: store) == (batch.venueID != Sample.uuid(11))) }
      // Nothing is erased twice.
      try await store.finishErasures()
      for batch in batches { #expect(await isThere(batch, in: store)) }
      await store.close()
    }
  }
}

@Suite struct `Forty thousand venues` {
  @Test func `are paged each once while some are added`() async throws {
    try await withTemporaryDirectory { directory in
      var options = SQLiteStore.Options()
      options.durability = .normal
      let store = try SQLiteStore(directory: directory, options: options)
      for number in 0..<40_000 as Range<UInt64> {
        try await store.save(Sample.venue(number, name: "home \(number % 977)"))
      }
      var seen: Set<UUID> = []
      var last: NameCursor?
      var added: UInt64 = 100_000
      while true {
        let page = try await store.venues(after: last, limit: 1_000)
        for venue in page {
          let cursor = NameCursor(name: venue.name, id: venue.id)
          if let last { #expect(last < cursor) }
          last = cursor
          #expect(seen.insert(venue.id).inserted)
        }
        if page.count < 1_000 { break }
        for name in ["home 0", "home 5", "zzz"] {
          try await store.save(Sample.venue(added, name: name))
          added += 1
        }
      }
      #expect((0..<40_000 as Range<UInt64>).allSatisfy { seen.contains(Sample.uuid($0)) })
      await store.close()
    }
  }
}
