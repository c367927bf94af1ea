import HTTP2
import NetworkIO
import Testing

@testable import GRPCTransport

@Suite struct `A leaky bucket` {
  /// Whether each of these, poured in at the time beside it, was too much.
  private static func overflows(_ bucket: LeakyBucket, _ pours: [(amount: Int, milliseconds: UInt64)]) -> [Bool] {
    var bucket = bucket
    return pours.map { bucket.pour($0.amount, at: $0.milliseconds) }
  }

  @Test func `holds what it holds and no more`() {
    let bucket = LeakyBucket(capacity: 10, perSecond: 5, now: 1_000)
    let results = Self.overflows(bucket, .init(repeating: (1, 1_000), count: 11))
    #expect(results == .init(repeating: false, count: 10) + [true])
  }

  @Test func `loses so much a second`() {
    let bucket = LeakyBucket(capacity: 10, perSecond: 5, now: 0)
    let results = Self.overflows(bucket, [(14, 0), (0, 800), (5, 1_000), (-100, 1_000), (10, 1_000)])
    #expect(results == [true, false, true, false, false])
  }

  @Test func `never holds less than nothing, whatever the clock says`() {
    let bucket = LeakyBucket(capacity: 10, perSecond: .max / 2_000_000, now: 5_000)
    #expect(Self.overflows(bucket, [(-50, 5_000), (11, 0), (11, .max), (10, .max)]) == [false, true, false, false])
  }
}

/// A session that is told what a test wants; G-108 and G-149...156 count on its numbers.
@Suite struct `A client's conduct` {
  /// The numbers of a server's session that has received these frames, by type and length, on top of `others`.
  private static func counts(_ frames: [(type: UInt8, byteCount: Int)], on others: FrameCounts = .init()) -> FrameCounts
  {
    var counts = others
    for frame in frames { counts.began(type: frame.type, byteCount: frame.byteCount) }
    return counts
  }

  @Test(arguments: [2, 3, 6, 7, 8, 9, 0x42] as [UInt8])
  func `is bad where ten thousand frames come that no call explains`(type: UInt8) {
    var conduct = ClientConduct(now: 0)
    var counts = Self.counts(.init(repeating: (type, 8), count: 10_000))
    conduct.judge(counts, at: 0)
    #expect(conduct.offence == nil)
    counts = Self.counts([(type, 8)], on: counts)
    conduct.judge(counts, at: 0)
    #expect(conduct.offence == .frames)
  }

  @Test func `is good where each frame belongs to one of a call, for ever`() {
    var conduct = ClientConduct(now: 0)
    var counts = FrameCounts()
    for _ in 0..<1_000 {
      counts = Self.counts(.init(repeating: (8, 4), count: 400) + .init(repeating: (0, 1), count: 100), on: counts)
      conduct.judge(counts, at: 0)
    }
    #expect(conduct.offence == nil)
  }

  @Test func `is good at a thousand frames a second`() {
    var conduct = ClientConduct(now: 0)
    var counts = FrameCounts()
    for second in 1...100 as ClosedRange<UInt64> {
      counts = Self.counts(.init(repeating: (8, 4), count: 1_000), on: counts)
      conduct.judge(counts, at: second * 1_000)
    }
    #expect(conduct.offence == nil)
  }

  @Test func `is worse with SETTINGS, which cost more`() {
    var conduct = ClientConduct(now: 0)
    conduct.judge(Self.counts(.init(repeating: (4, 6), count: 501)), at: 0)
    #expect(conduct.offence == .frames)
  }

  @Test func `may be in a hurry two thousand times`() {
    var conduct = ClientConduct(now: 0)
    for _ in 0..<2_000 { conduct.cancelled(age: 0, at: 0) }
    for _ in 0..<10_000 { conduct.cancelled(age: 50, at: 0) }
    #expect(conduct.offence == nil)
    conduct.cancelled(age: 49, at: 0)
    #expect(conduct.offence == .resets)
  }

  @Test(arguments: [(100, nil), (299, nil), (0, .pings)] as [(UInt64, ClientConduct.Offence?)])
  func `is judged by the distance of its PINGs`(interval: UInt64, offence: ClientConduct.Offence?) {
    var conduct = ClientConduct(now: 0)
    for number in 1...4 as ClosedRange<UInt64> {
      conduct.pinged(FrameCounts(), at: 1_000 + number * interval, interval: interval > 0 ? interval : 1)
    }
    #expect(conduct.offence == offence)
  }

  @Test func `is struck for the third PING too early, and not before`() {
    var conduct = ClientConduct(now: 0)
    for moment in [0, 299_999, 599_998] as [UInt64] { conduct.pinged(FrameCounts(), at: moment, interval: 300_000) }
    #expect(conduct.offence == nil)
    conduct.pinged(FrameCounts(), at: 899_997, interval: 300_000)
    #expect(conduct.offence == .pings)
  }
}

@Suite struct `A census of connections` {
  private static func census(_ limit: Int?) -> ConnectionCensus {
    var policy = ConnectionPolicy()
    policy.connectionsPerAddress = limit
    return ConnectionCensus(policy)
  }

  private static func address(_ text: String) throws -> SocketAddress { try #require(SocketAddress(text)) }

  @Test(arguments: [
    ("10.0.0.1:1", "10.0.0.1:2", true), ("10.0.0.1:1", "10.0.0.2:1", false), ("127.0.0.1:1", "127.0.0.1:2", true),
    ("[2001:db8::1]:1", "[2001:db8::2]:1", true), ("[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false),
    ("10.0.0.1:1", "[::ffff:10.0.0.1]:1", true), ("[::1]:1", "127.0.0.1:1", false),
  ])
  func `counts by address, or by network`(one: String, other: String, areTogether: Bool) throws {
    let census = Self.census(1)
    let entry = try #require(census.enter(Self.address(one)))
    let second = census.enter(try Self.address(other))
    #expect((second == nil) == areTogether)
    census.leave(entry)
    #expect(areTogether == (try census.enter(Self.address(other)) != nil))
  }

  @Test(arguments: ["127.0.0.1:1", "[::1]:1", "unix:/run/x"])
  func `excepts this machine unless it is told otherwise`(address: String) throws {
    let census = Self.census(nil)
    for _ in 0..<(2 * ConnectionPolicy.defaultConnectionsPerAddress) {
      #expect(census.enter(try Self.address(address)) != nil)
    }
  }

  @Test func `lets a thousand in from elsewhere`() throws {
    let census = Self.census(nil)
    let address = try Self.address("192.0.2.7:443")
    for _ in 0..<ConnectionPolicy.defaultConnectionsPerAddress { #expect(census.enter(address) != nil) }
    #expect(census.enter(address) == nil)
  }
}
