import EnergyModel
import EnergyRPC
import EnergyService
import EnergyWire
import FoundationEssentials
import GRPC
import ServiceTestSupport
import Storage
import TestSupport
import Testing

@Suite struct `The venue methods` {
  @Test func `list what the caller may see, page by page`() async throws {
    let bench = try await Bench(venue: makeVenue("b", planID: "tou"))
    for name in ["a", "c"] {
      let venue = makeVenue(name)
      try await bench.store.save(venue)
      try await bench.store.setAccess(.granted, venueID: venue.id, clientID: bench.client.id)
    }
    try await bench.store.save(makeVenue("another's"))
    var names: [String] = []
    var token = ""
    repeat {
      let request = WireBuilder { request in
        request.number(1, 2)
        request.text(2, token)
      }
      let answer = try #require(try await bench.call(.listVenues, request.bytes).answer)
      names += answer.messages(1).map { $0.text(2) }
      token = answer.text(2)
    } while !token.isEmpty && names.count < 10
    #expect(names == ["a", "b", "c"])
    let all = try #require(try await bench.call(.listVenues).answer)
    let second = try #require(all.messages(1).dropFirst().first)
    #expect(second.text(1) == bench.venue.id.text)
    #expect(second.text(4) == "America/Los_Angeles" && second.text(5) == "CISO" && second.number(6) == 1)
  }

  @Test func `find one by its own id or its home's`() async throws {
    let home = UUID()
    let bench = try await Bench(venue: makeVenue(homeID: home))
    for (field, id) in [(1, bench.venue.id), (2, home)] {
      let call = try await bench.call(.getVenue, WireBuilder { $0.text(field, id.text) }.bytes)
      #expect(call.status?.code == .ok)
      #expect(call.answer?.message(1)?.text(1) == bench.venue.id.text)
      #expect(call.answer?.message(1)?.text(3) == home.text)
    }
  }

  @Test(
    arguments: [
      (.restricted, Said(.ok)), (.granted, Said(.ok)), (.none, Said(.notFound, "VENUE_UNAVAILABLE")),
    ] as [(VenueAccess, Said)])
  func `show a venue by the access to it`(access: VenueAccess, said: Said) async throws {
    let home = UUID()
    let bench = try await Bench(venue: makeVenue(homeID: home), access: access)
    for (field, id) in [(1, bench.venue.id), (2, home)] {
      #expect(try await bench.call(.getVenue, WireBuilder { $0.text(field, id.text) }.bytes).said == said)
    }
    #expect(
      try await bench.call(.getVenue, WireBuilder { $0.text(1, UUID().text) }.bytes).said
        == Said(.notFound, "VENUE_UNAVAILABLE"))
  }

  @Test func `say that access was declined, and to which venue`() async throws {
    let bench = try await Bench(access: .denied)
    let call = try await bench.call(.getVenue, WireBuilder { $0.text(1, bench.venue.id.text) }.bytes)
    #expect(call.said == Said(.permissionDenied, "PERMISSION_DENIED", ["venue": bench.venue.id.text]))
    #expect(call.messages.isEmpty)
  }

  @Test(
    arguments: [
      (.listVenues, WireBuilder { $0.number(1, -1) }.bytes, "page_size"),
      (.listVenues, WireBuilder { $0.text(2, "none of ours") }.bytes, "page_token"),
      (.getVenue, [], "key"),
      (.getVenue, WireBuilder { $0.text(1, "x") }.bytes, "venue_id"),
      (.getVenue, WireBuilder { $0.text(2, "x") }.bytes, "home_id"),
    ] as [(MethodName, [UInt8], String)])
  func `name the field that is wrong`(method: MethodName, request: [UInt8], field: String) async throws {
    let bench = try await Bench()
    #expect(
      try await bench.call(method, request).said
        == Said(.invalidArgument, "INVALID_REQUEST", violations: ["\(field) INVALID_REQUEST"]))
  }

  @Test(arguments: [(StoreError.busy, 1), (.failed(operation: "read", reason: "secret"), 5)] as [(StoreError, Int64)])
  func `may be tried again where the store fails`(error: StoreError, seconds: Int64) async throws {
    let home = UUID()
    let bench = try await Bench(venue: makeVenue(homeID: home))
    bench.store.fail(with: error)
    let requests: [(MethodName, [UInt8])] = [
      (.listVenues, []), (.getVenue, WireBuilder { $0.text(1, bench.venue.id.text) }.bytes),
      (.getVenue, WireBuilder { $0.text(2, home.text) }.bytes),
    ]
    for (method, request) in requests {
      let call = try await bench.call(method, request)
      #expect(call.said == Said(.unavailable, "SERVICE_UNAVAILABLE", retrySeconds: seconds))
      #expect(call.status?.message.contains("secret") == false)
    }
  }
}

@Suite struct `Every method` {
  static let clientMethods: [MethodName] = [
    .listVenues, .getVenue, .getGuidance, .streamGuidance, .submitLoadEvents,
  ]

  @Test(arguments: clientMethods + [.publishGridSignal])
  func `refuses bytes that are no message`(method: MethodName) async throws {
    let bench = try await Bench()
    let caller: AnyObject = method.isAdmin ? Operator.shared : bench.caller
    let call = try bench.start(method, [0xFF, 0xFF, 0xFF], as: caller)
    #expect(await bench.settles { call.hasEnded })
    #expect(call.status?.code == .internal)
    #expect(call.messages.isEmpty)
  }

  @Test(arguments: clientMethods)
  func `ends a call that nobody was admitted for`(method: MethodName) async throws {
    let bench = try await Bench()
    for caller in [nil, Operator.shared] as [AnyObject?] {
      let call = try bench.start(method, bench.guidanceRequest(), as: caller)
      #expect(call.status == .unauthenticated)
      #expect(call.messages.isEmpty)
    }
  }
}
