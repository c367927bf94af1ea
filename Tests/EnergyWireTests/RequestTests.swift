import EnergyModel
import EnergyWire
import FoundationEssentials
import ProtobufWire
import TestSupport
import Testing

@Suite struct `A request` {
  private let arena = DecodeArena()

  private func decode<Request>(
    _ message: [UInt8],
    _ make: (UnsafeRawBufferPointer, DecodeArena) throws(WireError) -> Request
  ) throws(WireError) -> Request {
    try message.withBytes { bytes throws(WireError) in try make(bytes, arena) }
  }

  @Test func `for venues decodes as Python wrote it`() throws {
    let request = try decode(bytes(hex: Vectors.listVenuesRequest), ListVenuesRequest.init)
    #expect(request.pageSize == 17)
    #expect(request.pageToken == nil)
  }

  @Test(arguments: [(0, 1000), (1, 1), (1000, 1000), (1001, 1000), (Int64(Int32.max), 1000)])
  func `for venues has a page of at most 1000`(sent: Int64, expected: Int) throws {
    let message = WireBuilder { $0.number(1, sent) }.bytes
    #expect(try decode(message, ListVenuesRequest.init).pageSize == expected)
  }

  @Test func `for venues carries the page token it was given`() throws {
    let token = PageToken(name: "Haus am Fluß", id: UUID(high: 1, low: .max))
    let message = WireBuilder { $0.text(2, token.text(in: .venues)) }.bytes
    #expect(try decode(message, ListVenuesRequest.init).pageToken == token)
  }

  @Test func `for a venue names it by id or by home`() throws {
    let byID = try decode(bytes(hex: Vectors.getVenueByID), GetVenueRequest.init)
    #expect(byID.key == .venueID(try #require(UUID(text: sampleVenue))))
    let byHome = try decode(bytes(hex: Vectors.getVenueByHome), GetVenueRequest.init)
    #expect(byHome.key == .homeID(UUID(high: 0, low: 10)))
  }

  @Test func `for guidance decodes as Python wrote it`() throws {
    let request = try decode(bytes(hex: Vectors.getGuidanceRequest), GetGuidanceRequest.init)
    #expect(request.venueID.text == sampleVenue)
    #expect(request.action == .reduce)
    #expect(request.explain)
    #expect(request.knownToken?.text == "0123abcd-4567-89ef-0123-456789abcdef")
    let stream = try decode(bytes(hex: Vectors.streamGuidanceRequest), StreamGuidanceRequest.init)
    #expect(stream.venueID.text == sampleVenue)
    #expect(stream.action == .shift)
    #expect(stream.knownToken == nil)
  }

  static let invalid: [(String, String, [UInt8])] = {
    let venue = WireBuilder { $0.text(1, sampleVenue) }.bytes
    return [
      ("ListVenues", "page_size", WireBuilder { $0.number(1, -1) }.bytes),
      ("ListVenues", "page_token", WireBuilder { $0.text(2, "AAAA") }.bytes),
      ("GetVenue", "key", []),
      ("GetVenue", "venue_id", WireBuilder { $0.text(1, "") }.bytes),
      ("GetVenue", "home_id", WireBuilder { $0.text(2, "x") }.bytes),
      ("GetGuidance", "venue_id", WireBuilder { $0.number(2, 1) }.bytes),
      ("GetGuidance", "suggested_action", venue),
      ("GetGuidance", "suggested_action", venue + WireBuilder { $0.number(2, 3) }.bytes),
      ("GetGuidance", "suggested_action", venue + WireBuilder { $0.number(2, -1) }.bytes),
      (
        "GetGuidance", "known_guidance_token",
        venue
          + WireBuilder {
            $0.number(2, 1)
            $0.text(4, "?")
          }.bytes
      ),
      ("StreamGuidance", "venue_id", WireBuilder { $0.text(1, sampleVenue + "0") }.bytes),
      ("StreamGuidance", "suggested_action", venue),
      (
        "StreamGuidance", "known_guidance_token",
        venue
          + WireBuilder {
            $0.number(2, 1)
            $0.text(3, "?")
          }.bytes
      ),
    ]
  }()

  @Test(arguments: invalid)
  func `that breaks its contract names the field`(method: String, field: String, message: [UInt8]) throws {
    #expect(field == invalidField { () throws(WireError) in try decodeAny(method, message) })
  }

  private func decodeAny(_ method: String, _ message: [UInt8]) throws(WireError) {
    switch method {
    case "ListVenues": _ = try decode(message, ListVenuesRequest.init)
    case "GetVenue": _ = try decode(message, GetVenueRequest.init)
    case "GetGuidance": _ = try decode(message, GetGuidanceRequest.init)
    case "StreamGuidance": _ = try decode(message, StreamGuidanceRequest.init)
    case _: Issue.record("no such method")
    }
  }

  private func invalidField(_ body: () throws(WireError) -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      switch error {
      case .invalid(let request): return request.field
      case .unparsable, .tooComplex: return "\(error)"
      }
    }
  }

  // G-060
  @Test(arguments: ["ListVenues", "GetVenue", "GetGuidance", "StreamGuidance"])
  func `with a string that is not UTF-8 does not parse`(method: String) {
    for field in method == "ListVenues" ? [2] : [1] {
      let message = WireBuilder { $0.data(field, [0xFF]) }.bytes
      #expect(throws: WireError.unparsable) { try decodeAny(method, message) }
    }
  }

  // MARK: Grid signals

  @Test func `to publish a signal decodes as Python wrote it`() throws {
    let signal = try decode(bytes(hex: Vectors.publishGridSignalRequest), PublishGridSignalRequest.init).signal
    #expect(signal.key == SignalKey(gridRegion: "CISO", kind: .price, model: "lmp-2023"))
    #expect(!signal.isMeasured)
    #expect(signal.issueTime == Timestamp(milliseconds: 1_700_000_000_005))
    #expect(signal.points.map(\.value) == [-0.0125, 0.04525, 0])
    #expect(signal.points.map(\.quality) == [.forecast, .estimated, .forecast])
    #expect(signal.points.map(\.interval.start.seconds) == [1_700_000_000, 1_700_003_600, 1_700_010_800])
    #expect(signal.points.map(\.interval.milliseconds) == [3_600_000, 3_600_000, 3_600_000])
  }

  private struct Signal {
    var region = "CISO"
    var kind: Int64 = 1
    var model = "m"
    var issueTime: Int64? = 1
    var step: Int64 = 300
    var points: [(start: Int64?, value: Double)] = [(0, 1), (300, 2)]

    var bytes: [UInt8] {
      WireBuilder { request in
        request.text(1, region)
        request.number(2, kind)
        request.text(3, model)
        request.number(4, 1)
        if let issueTime { request.message(5) { $0.number(1, issueTime) } }
        request.number(6, step)
        for point in points {
          request.message(7) {
            if let start = point.start { $0.message(1) { $0.number(1, start) } }
            $0.double(2, point.value)
          }
        }
      }.bytes
    }
  }

  private static let invalidSignals: [(String, @Sendable (inout Signal) -> Void)] = [
    ("grid_region", { $0.region = "" }),
    ("grid_region", { $0.region = "a\nb" }),
    ("grid_region", { $0.region = String(repeating: "r", count: 65) }),
    ("kind", { $0.kind = 0 }),
    ("kind", { $0.kind = 4 }),
    ("model", { $0.model = "" }),
    ("model", { $0.model = String(repeating: "m", count: 129) }),
    ("issue_time", { $0.issueTime = nil }),
    ("issue_time", { $0.issueTime = .max }),
    ("step_seconds", { $0.step = 299 }),
    ("step_seconds", { $0.step = 3601 }),
    ("step_seconds", { $0.step = .max }),
    ("points", { $0.points = [] }),
    ("points[1].start", { $0.points[1].start = 299 }),
    ("points[1].start", { $0.points[1].start = nil }),
    ("points[1].start", { $0.points[1].start = .min }),
    ("points[0].value", { $0.points[0].value = .nan }),
    ("points[0].value", { $0.points[0].value = -0.001 }),
    ("points[0].value", { $0.points[0].value = 5000.5 }),
    (
      "points[1].value",
      {
        $0.kind = 3
        $0.points[1].value = -100_001
      }
    ),
    (
      "points[0].value",
      {
        $0.kind = 3
        $0.points[0].value = .infinity
      }
    ),
  ]

  @Test(arguments: invalidSignals.indices)
  func `to publish an invalid signal names the field`(index: Int) throws {
    let (field, change) = Self.invalidSignals[index]
    var signal = Signal()
    change(&signal)
    #expect(
      field == invalidField { () throws(WireError) in _ = try decode(signal.bytes, PublishGridSignalRequest.init) })
  }

  @Test func `to publish a signal keeps the bounds themselves`() throws {
    var signal = Signal(points: [(0, 0), (300, 5000), (1_000_000, 1)])
    #expect(try decode(signal.bytes, PublishGridSignalRequest.init).signal.points.map(\.quality.rawValue) == [1, 1, 1])
    signal.kind = 3
    signal.points = [(-62_135_596_800, -100_000), (0, 100_000)]
    #expect(try decode(signal.bytes, PublishGridSignalRequest.init).signal.points.map(\.value) == [-100, 100])
  }

  @Test func `to publish a signal has at most 100000 points`() throws {
    var signal = Signal(step: 300, points: (0..<100_000).map { (Int64($0) * 300, 1) })
    #expect(try decode(signal.bytes, PublishGridSignalRequest.init).signal.points.count == 100_000)
    #expect(arena.reservedByteCount <= 1 << 20)
    signal.points.append((30_000_000, 1))
    #expect(
      invalidField { () throws(WireError) in _ = try decode(signal.bytes, PublishGridSignalRequest.init) } == "points")
  }
}
