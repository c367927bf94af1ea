import EnergyModel
import FoundationEssentials
import Locking
import ServiceTestSupport
import Storage
import Testing

@testable import EnergyService

/// A store with one client and one venue, and a cache of it on a loop.
private final class Bench {
  let store = ProbeStore()
  let clock = ManualClock()
  let loop = TestLoop()
  let client = makeClient()
  let venue = makeVenue()
  let cache: AccessCache
  let key: APIKey

  init(_ limits: AccessCache.Limits = AccessCache.Limits()) async throws {
    cache = AccessCache(
      loader: AccessLoader(store: store), clock: clock.service, limits: limits, hop: loop.hop)
    key = try APIKey.make()
    try await store.save(client, keyHash: key.hash.bytes)
    try await store.save(venue)
    try await store.setAccess(.granted, venueID: venue.id, clientID: client.id)
  }

  func fetchCaller(_ hash: KeyHash) async -> Result<Caller?, EnergyKitError>? {
    var answer: Result<Caller?, EnergyKitError>?
    cache.fetchCaller(.key(hash)) { answer = $0 }
    while answer == nil { await loop.turn() }
    return answer
  }

  func fetchPass() async -> Result<VenuePass?, EnergyKitError>? {
    var answer: Result<VenuePass?, EnergyKitError>?
    cache.fetchPass(clientID: client.id, venueID: venue.id) { answer = $0 }
    while answer == nil { await loop.turn() }
    return answer
  }
}

extension Lookup {
  fileprivate var isMiss: Bool { if case .miss = self { true } else { false } }
  fileprivate var isAbsent: Bool { if case .absent = self { true } else { false } }
  fileprivate var value: Value? { if case .hit(let value) = self { value } else { nil } }
}

@Suite struct `The access cache` {
  @Test func `asks the store once for a caller`() async throws {
    let bench = try await Bench()
    #expect(bench.cache.caller(.key(bench.key.hash)).isMiss)
    let fetched = try await bench.fetchCaller(bench.key.hash)?.get()
    #expect(fetched?.id == bench.client.id)
    #expect(bench.cache.caller(.key(bench.key.hash)).value === fetched)
    #expect(bench.store.questionCount("keyOwner") == 1)
  }

  @Test func `remembers an unknown key for two seconds`() async throws {
    let bench = try await Bench()
    let stranger = try APIKey.make().hash
    #expect(try await bench.fetchCaller(stranger)?.get() == nil)
    #expect(bench.cache.caller(.key(stranger)).isAbsent)
    bench.clock.advance(seconds: 2)
    #expect(bench.cache.caller(.key(stranger)).isMiss)
  }

  @Test func `takes a disabled client for an unknown one`() async throws {
    let bench = try await Bench()
    var disabled = bench.client
    disabled.isDisabled = true
    try await bench.store.save(disabled, keyHash: nil)
    #expect(try await bench.fetchCaller(bench.key.hash)?.get() == nil)
    #expect(bench.cache.caller(.key(bench.key.hash)).isAbsent)
  }

  @Test func `keeps nothing of a failure`() async throws {
    let bench = try await Bench()
    bench.store.fail(with: .busy)
    #expect(await bench.fetchPass().map { $0.map { _ in 0 } } == .failure(.serviceUnavailable(retryAfterSeconds: 1)))
    bench.store.fail(with: nil)
    #expect(bench.cache.pass(clientID: bench.client.id, venueID: bench.venue.id).isMiss)
    #expect(try await bench.fetchPass()?.get()?.venue == bench.venue)
  }

  @Test func `asks once for many who wait`() async throws {
    let bench = try await Bench()
    var answers = 0
    for _ in 0..<100 { bench.cache.fetchCaller(.key(bench.key.hash)) { _ in answers += 1 } }
    while answers < 100 { await bench.loop.turn() }
    #expect(bench.store.questionCount("keyOwner") == 1)
  }

  @Test func `drops a client that was changed`() async throws {
    let bench = try await Bench()
    _ = await bench.fetchCaller(bench.key.hash)
    let other = UUID()
    bench.cache.apply(.client(other))
    #expect(bench.cache.caller(.key(bench.key.hash)).value != nil)
    bench.cache.apply(.client(bench.client.id))
    #expect(bench.cache.caller(.key(bench.key.hash)).isMiss)
  }

  @Test func `drops the passes of a venue that was changed, and access that was`() async throws {
    let bench = try await Bench()
    let (clientID, venueID) = (bench.client.id, bench.venue.id)
    for (change, isDropped) in [
      (AccessChange.venue(venueID), true), (.venue(UUID()), false),
      (.access(clientID: clientID, venueID: venueID), true), (.access(clientID: UUID(), venueID: venueID), false),
      (.client(clientID), false),
    ] {
      if bench.cache.pass(clientID: clientID, venueID: venueID).isMiss { _ = await bench.fetchPass() }
      bench.cache.apply(change)
      #expect(bench.cache.pass(clientID: clientID, venueID: venueID).isMiss == isDropped, "\(change)")
    }
  }

  @Test func `forgets that a venue was absent when access is given`() async throws {
    let bench = try await Bench()
    let (clientID, venueID) = (bench.client.id, bench.venue.id)
    try await bench.store.setAccess(.none, venueID: venueID, clientID: clientID)
    #expect(try await bench.fetchPass()?.get() == nil)
    #expect(bench.cache.pass(clientID: clientID, venueID: venueID).isAbsent)
    try await bench.store.setAccess(.granted, venueID: venueID, clientID: clientID)
    bench.cache.apply(.access(clientID: clientID, venueID: venueID))
    #expect(bench.cache.pass(clientID: clientID, venueID: venueID).isMiss)
    #expect(try await bench.fetchPass()?.get()?.access == .granted)
  }

  @Test func `reads again what a change has overtaken`() async throws {
    let bench = try await Bench()
    let gate = Gate()
    bench.store.hold(at: gate)
    var answer: Result<VenuePass?, EnergyKitError>?
    bench.cache.fetchPass(clientID: bench.client.id, venueID: bench.venue.id) { answer = $0 }
    bench.cache.apply(.venue(bench.venue.id))
    gate.open()
    while answer == nil { await bench.loop.turn() }
    #expect(bench.store.questionCount("venue(id,clientID)") == 2)
    #expect(try answer?.get()?.venue == bench.venue)
    #expect(bench.cache.pass(clientID: bench.client.id, venueID: bench.venue.id).value != nil)
  }

  @Test func `says rather nothing than what a change may have made untrue`() async throws {
    let bench = try await Bench()
    var answer: Result<VenuePass?, EnergyKitError>?
    bench.cache.fetchPass(clientID: bench.client.id, venueID: bench.venue.id) { answer = $0 }
    for _ in 0..<100_000 where answer == nil {
      bench.cache.apply(.venue(bench.venue.id))
      await bench.loop.turn()
    }
    #expect(throws: EnergyKitError.serviceUnavailable(retryAfterSeconds: 1)) { try answer?.get() }
    #expect(bench.cache.pass(clientID: bench.client.id, venueID: bench.venue.id).isMiss)
  }

  @Test func `holds no more unknown keys than it may`() async throws {
    let bench = try await Bench(AccessCache.Limits(capacity: 8, absentCapacity: 8))
    var hashes: [KeyHash] = []
    for _ in 0..<100 {
      hashes.append(try APIKey.make().hash)
      _ = await bench.fetchCaller(hashes[hashes.count - 1])
    }
    let kept = hashes.count { bench.cache.caller(.key($0)).isAbsent }
    #expect((4...8).contains(kept))
  }
}

@Suite struct `A cache of two generations` {
  @Test(arguments: [2, 3, 10, 101])
  func `never holds more than its capacity`(capacity: Int) {
    var cache = TwoGenerationCache<Int, Int>(capacity: capacity)
    for key in 0..<1_000 {
      cache.insert(key, for: key)
      #expect(cache.count <= capacity)
      #expect(cache.value(for: key) == key)
      _ = cache.value(for: key / 2)
      #expect(cache.count <= capacity)
    }
  }

  @Test func `keeps what is asked for`() {
    var cache = TwoGenerationCache<Int, String>(capacity: 10)
    cache.insert("kept", for: -1)
    for key in 0..<1_000 {
      cache.insert("passing", for: key)
      #expect(cache.value(for: -1) == "kept")
    }
  }

  @Test func `forgets what is removed, in either generation`() {
    var cache = TwoGenerationCache<Int, Int>(capacity: 4)
    for key in 0..<4 { cache.insert(key, for: key) }
    for key in 0..<4 {
      cache.removeValue(for: key)
      #expect(cache.value(for: key) == nil)
    }
    for key in 0..<4 { cache.insert(key, for: key) }
    cache.removeAll { key, _ in key.isMultiple(of: 2) }
    #expect(cache.value(for: 0) == nil && cache.value(for: 2) == nil && cache.value(for: 3) == 3)
  }
}

@Suite struct `The key a connection repeats` {
  @Test func `is known until access changes`() async throws {
    let bench = try await Bench()
    let caller = try #require(try await bench.fetchCaller(bench.key.hash)?.get())
    let memo = KeyMemo()
    try withBytes(bench.key.text) { key in
      #expect(memo.caller(for: key, in: bench.cache) == nil)
      memo.remember(caller, for: key, in: bench.cache)
      #expect(memo.caller(for: key, in: bench.cache) === caller)
      let other = try APIKey.make()
      withBytes(other.text) { #expect(memo.caller(for: $0, in: bench.cache) == nil) }
      bench.cache.apply(.client(UUID()))
      #expect(memo.caller(for: key, in: bench.cache) == nil)
    }
  }
}

@Suite struct `Access changes` {
  @Test func `reach everyone who registered`() async {
    let changes = AccessChanges()
    let heard = Lock<[AccessChange]>([])
    for _ in 0..<3 { changes.register { change in heard.withLock { $0.append(change) } } }
    let change = AccessChange.venue(UUID())
    await changes.publish(change)
    #expect(heard.withLock { $0 } == [change, change, change])
  }
}
