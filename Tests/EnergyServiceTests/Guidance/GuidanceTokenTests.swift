import EnergyModel
import FoundationEssentials
import ServiceTestSupport
import Storage
import Testing

@testable import EnergyService

private func makeCodec(_ keys: MasterKey...) throws -> GuidanceTokenCodec {
  try GuidanceTokenCodec(GuidanceTokenKeys(keys))
}

@Suite struct `A guidance token` {
  let client = UUID()
  let venue = UUID()
  let issued = Timestamp(seconds: Timestamp.noon.seconds)

  @Test func `verifies for its own client and venue`() throws {
    let codec = try makeCodec(makeMasterKey(1))
    for number in [0, 1, 255, 65_535] as [UInt16] {
      let tag = try codec.tag(clientID: client, venueID: venue)
      let token = try codec.token(issueTime: issued, number: number, tag: tag)
      #expect(codec.verify(token, clientID: client, venueID: venue, now: issued) == issued)
    }
  }

  @Test func `does not verify for another client or venue, nor with the two exchanged`() throws {
    let codec = try makeCodec(makeMasterKey(1))
    let token = try codec.token(
      issueTime: issued, number: 7, tag: codec.tag(clientID: client, venueID: venue))
    #expect(codec.verify(token, clientID: UUID(), venueID: venue, now: issued) == nil)
    #expect(codec.verify(token, clientID: client, venueID: UUID(), now: issued) == nil)
    #expect(codec.verify(token, clientID: venue, venueID: client, now: issued) == nil)
  }

  @Test(arguments: 0..<128)
  func `does not verify with a bit flipped`(bit: Int) throws {
    let codec = try makeCodec(makeMasterKey(1))
    let token = try codec.token(
      issueTime: issued, number: 7, tag: codec.tag(clientID: client, venueID: venue))
    let flipped =
      bit < 64
      ? UUID(high: token.high ^ 1 << UInt64(bit), low: token.low)
      : UUID(high: token.high, low: token.low ^ 1 << UInt64(bit - 64))
    #expect(codec.verify(flipped, clientID: client, venueID: venue, now: issued) == nil)
  }

  @Test func `is not made where its time would not fit, since two would be the same`() throws {
    let codec = try makeCodec(makeMasterKey(1))
    let tag = try codec.tag(clientID: client, venueID: venue)
    let times = GuidanceTokenCodec.issueTimes
    #expect(times.lowerBound == Timestamp(seconds: 1_577_836_800))
    for time in [times.lowerBound, times.upperBound] {
      let token = try codec.token(issueTime: time, number: 0, tag: tag)
      #expect(codec.verify(token, clientID: client, venueID: venue, now: time) == time)
    }
    let outside = [
      times.lowerBound.advanced(byMilliseconds: -1), times.upperBound.advanced(bySeconds: 1), .earliest, .latest,
    ]
    for time in outside {
      #expect(throws: EnergyKitError.self) { try codec.token(issueTime: time, number: 0, tag: tag) }
    }
  }

  @Test func `cannot be guessed`() throws {
    let codec = try makeCodec(makeMasterKey(1), makeMasterKey(0))
    for _ in 0..<10_000 { #expect(codec.verify(UUID(), clientID: client, venueID: venue, now: issued) == nil) }
  }

  @Test(
    arguments: [
      (35 * 86_400_000, true), (35 * 86_400_000 + 1, false), (0, true), (-300_000, true), (-300_001, false),
    ] as [(Int64, Bool)])
  func `is taken from 5 minutes before its issue until it is 35 days old`(age: Int64, isTaken: Bool) throws {
    let codec = try makeCodec(makeMasterKey(1))
    let token = try codec.token(
      issueTime: issued, number: 7, tag: codec.tag(clientID: client, venueID: venue))
    let found = codec.verify(token, clientID: client, venueID: venue, now: issued.advanced(byMilliseconds: age))
    #expect((found != nil) == isTaken)
  }

  @Test func `is the same after a restart with the same key, another with another`() throws {
    func token(_ key: MasterKey) throws -> UUID {
      let codec = try makeCodec(key)
      return try codec.token(issueTime: issued, number: 7, tag: codec.tag(clientID: client, venueID: venue))
    }
    #expect(try token(makeMasterKey(3)) == token(makeMasterKey(3)))
    #expect(try token(makeMasterKey(3, seed: 1)) != token(makeMasterKey(3, seed: 2)))
  }

  @Test func `verifies under an older key, not under a foreign one of the same id`() throws {
    let old = try makeCodec(makeMasterKey(1))
    let token = try old.token(issueTime: issued, number: 7, tag: old.tag(clientID: client, venueID: venue))
    let rotated = try makeCodec(makeMasterKey(2), makeMasterKey(1))
    #expect(rotated.verify(token, clientID: client, venueID: venue, now: issued) == issued)
    let foreign = try makeCodec(makeMasterKey(2), makeMasterKey(1, seed: 99))
    #expect(foreign.verify(token, clientID: client, venueID: venue, now: issued) == nil)
    let without = try makeCodec(makeMasterKey(2))
    #expect(without.verify(token, clientID: client, venueID: venue, now: issued) == nil)
  }

  @Test func `carries its key's id in the flags`() throws {
    // Two keys with one secret differ in nothing but their ids.
    let one = try makeCodec(makeMasterKey(1, seed: 5))
    let two = try makeCodec(makeMasterKey(2, seed: 5))
    let token = try one.token(issueTime: issued, number: 7, tag: one.tag(clientID: client, venueID: venue))
    #expect(two.verify(token, clientID: client, venueID: venue, now: issued) == nil)
  }

  @Test(arguments: [0, 1, 2, 1_000])
  func `comes out of a batch as it comes out alone`(count: Int) throws {
    let codec = try makeCodec(makeMasterKey(1))
    let pairs = (0..<count).map { _ in (UUID(), UUID()) }
    let tags = try pairs.map { try codec.tag(clientID: $0.0, venueID: $0.1) }
    var tokens = [UUID](repeating: UUID(), count: count + 1)
    let last = tokens[count]
    try tags.withUnsafeBufferPointer { tags in
      try tokens.withUnsafeMutableBufferPointer { tokens in
        try codec.makeTokens(issueTime: issued, number: 9, tags: tags, into: tokens)
      }
    }
    for (index, pair) in pairs.enumerated() {
      #expect(try tokens[index] == codec.token(issueTime: issued, number: 9, tag: tags[index]))
      #expect(codec.verify(tokens[index], clientID: pair.0, venueID: pair.1, now: issued) == issued)
    }
    #expect(tokens[count] == last)
    #expect(Set(tokens).count == count + 1)
  }

  @Test func `is remembered by the pass it was verified for, not beyond its age`() throws {
    let codec = try makeCodec(makeMasterKey(1))
    let pass = VenuePass(VenueGrant(venue: makeVenue(), access: .granted), clientID: client)
    let other = VenuePass(VenueGrant(venue: makeVenue(), access: .granted), clientID: client)
    for number in 0..<10 as Range<UInt16> {
      let token = try codec.token(issueTime: issued, number: number, tag: codec.tag(for: pass))
      for _ in 0..<2 { #expect(codec.verify(token, for: pass, now: issued) == issued) }
      #expect(codec.verify(token, for: pass, now: issued.advanced(bySeconds: 36 * 86_400)) == nil)
      #expect(codec.verify(token, for: other, now: issued) == nil)
    }
  }

  @Test func `has keys from the store, made once`() async throws {
    let store = ProbeStore()
    let first = try await GuidanceTokenKeys.load(from: store, now: .noon)
    let second = try await GuidanceTokenKeys.load(from: store, now: .noon)
    let codecs = try [first, second].map { try GuidanceTokenCodec($0) }
    let token = try codecs[0].token(
      issueTime: issued, number: 7, tag: codecs[0].tag(clientID: client, venueID: venue))
    #expect(codecs[1].verify(token, clientID: client, venueID: venue, now: issued) == issued)
    #expect(try await store.masterKeys().map(\.secret.count) == [32])
  }

  @Test func `needs a store that answers`() async {
    let store = ProbeStore()
    store.fail(with: .closed)
    await #expect(throws: EnergyKitError.serviceUnavailable(retryAfterSeconds: 5)) {
      _ = try await GuidanceTokenKeys.load(from: store, now: .noon)
    }
  }
}

@Suite struct `The keys of guidance tokens` {
  private let start = Timestamp(seconds: 1_780_000_000)
  private let client = UUID()
  private let venue = UUID()

  private func days(_ count: Int64) -> Timestamp { start.advanced(bySeconds: count * 86_400) }

  private func token(_ keys: GuidanceTokenKeys, at time: Timestamp) throws -> UUID {
    let codec = try GuidanceTokenCodec(keys)
    return try codec.token(issueTime: time, number: 1, tag: codec.tag(clientID: client, venueID: venue))
  }

  private func isValid(_ token: UUID, _ keys: GuidanceTokenKeys, at time: Timestamp) throws -> Bool {
    try GuidanceTokenCodec(keys).verify(token, clientID: client, venueID: venue, now: time) != nil
  }

  @Test func `stay until they are too old, and check as long as their tokens live`() async throws {
    let store = InMemoryStore()
    func load(_ day: Int64) async throws -> GuidanceTokenKeys {
      try await GuidanceTokenKeys.load(from: store, now: days(day), maximumAgeDays: 90)
    }
    let first = try await load(0)
    #expect(try await load(90).pairs.map(\.id) == first.pairs.map(\.id))
    let last = try token(first, at: days(90))
    let second = try await load(91)
    #expect(second.pairs.map(\.id) == [1, 0])
    #expect(try isValid(last, second, at: days(91)))
    #expect(try isValid(last, await load(125), at: days(125)))
    // Made under the new one: nobody who has the old one alone knows it.
    #expect(try !isValid(token(second, at: days(91)), first, at: days(91)))
    #expect(try await load(131).pairs.map(\.id) == [1, 0])
    #expect(try await load(132).pairs.map(\.id) == [1])
    #expect(try await store.masterKeys().map(\.id) == [1], "the secret is gone")
  }

  @Test func `come round to the first id again after the last`() async throws {
    let store = InMemoryStore()
    try await store.append(MasterKey(id: 255, secret: Array(repeating: 1, count: 32), createTime: days(0)))
    #expect(
      try await GuidanceTokenKeys.load(from: store, now: days(2), maximumAgeDays: 1).pairs.map(\.id) == [0, 255])
  }

  @Test(arguments: [nil, 90] as [Int?])
  func `stay where the clock goes back, or where none is ever too old`(maximumAgeDays: Int?) async throws {
    let store = InMemoryStore()
    _ = try await GuidanceTokenKeys.load(from: store, now: days(0))
    let later = maximumAgeDays == nil ? days(9_000) : days(-9_000)
    let keys = try await GuidanceTokenKeys.load(from: store, now: later, maximumAgeDays: maximumAgeDays)
    #expect(keys.pairs.map(\.id) == [0])
  }
}
