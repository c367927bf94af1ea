import CEnergyProto
import CProtobufC
import EnergyModel
import EnergyWire
import FoundationEssentials
import GRPC
import TestSupport
import Testing

@Suite struct `A status` {
  /// google.rpc.Status as protobuf-c reads it.
  private struct Details: Equatable {
    var code: Int32 = 0
    var message = ""
    var reason = ""
    var domain = ""
    var metadata: [String: String] = [:]
    var retrySeconds: Int64?
    var quotaSubjects: [String] = []
    var violations: [[String]] = []
    var resource: [String] = []
  }

  private func details(_ status: Status) throws -> Details {
    let raw = try #require(google__rpc__status__unpack(nil, status.details.count, status.details))
    defer { google__rpc__status__free_unpacked(raw, nil) }
    var result = Details()
    result.code = raw.pointee.code
    result.message = String(cString: raw.pointee.message)
    for index in 0..<raw.pointee.n_details {
      let any = try #require(raw.pointee.details[index]).pointee
      try read(String(cString: any.type_url), any.value, into: &result)
    }
    return result
  }

  private func read(_ type: String, _ value: ProtobufCBinaryData, into result: inout Details) throws {
    switch type {
    case "type.googleapis.com/google.rpc.ErrorInfo":
      let info = try #require(google__rpc__error_info__unpack(nil, value.len, value.data))
      defer { google__rpc__error_info__free_unpacked(info, nil) }
      result.reason = String(cString: info.pointee.reason)
      result.domain = String(cString: info.pointee.domain)
      for index in 0..<info.pointee.n_metadata {
        let entry = try #require(info.pointee.metadata[index]).pointee
        result.metadata[String(cString: entry.key)] = String(cString: entry.value)
      }
    case "type.googleapis.com/google.rpc.RetryInfo":
      let info = try #require(google__rpc__retry_info__unpack(nil, value.len, value.data))
      defer { google__rpc__retry_info__free_unpacked(info, nil) }
      result.retrySeconds = info.pointee.retry_delay.pointee.seconds
    case "type.googleapis.com/google.rpc.QuotaFailure":
      let failure = try #require(google__rpc__quota_failure__unpack(nil, value.len, value.data))
      defer { google__rpc__quota_failure__free_unpacked(failure, nil) }
      for index in 0..<failure.pointee.n_violations {
        let violation = try #require(failure.pointee.violations[index]).pointee
        result.quotaSubjects.append(String(cString: violation.subject))
      }
    case "type.googleapis.com/google.rpc.BadRequest":
      let request = try #require(google__rpc__bad_request__unpack(nil, value.len, value.data))
      defer { google__rpc__bad_request__free_unpacked(request, nil) }
      for index in 0..<request.pointee.n_field_violations {
        let violation = try #require(request.pointee.field_violations[index]).pointee
        result.violations.append([
          String(cString: violation.field), String(cString: violation.reason), String(cString: violation.description),
        ])
      }
    case "type.googleapis.com/google.rpc.ResourceInfo":
      let info = try #require(google__rpc__resource_info__unpack(nil, value.len, value.data))
      defer { google__rpc__resource_info__free_unpacked(info, nil) }
      result.resource = [String(cString: info.pointee.resource_type), String(cString: info.pointee.resource_name)]
    case _: Issue.record("unexpected detail \(type)")
    }
  }

  private static let venueID = UUID(high: 1, low: 2)
  private static let faults = [
    LoadEventFault(position: .loadEvent(3), field: "id", reason: .malformed, description: "is not a UUID"),
    LoadEventFault(
      position: .vehicleStatusEvent(0), field: "timestamp", reason: .timestampOutOfRange, description: "too old"),
  ]

  static let table: [(EnergyKitError, StatusCode, String, [String: String], Int64?)] = [
    (
      .permissionDenied(.entitlement(.energyKit)), .permissionDenied, "PERMISSION_DENIED",
      ["entitlement": "com.apple.developer.energykit"], nil
    ),
    (.permissionDenied(.venue), .permissionDenied, "PERMISSION_DENIED", ["venue": venueID.text], nil),
    (.venueUnavailable, .notFound, "VENUE_UNAVAILABLE", [:], nil),
    (.locationServicesDenied, .failedPrecondition, "LOCATION_SERVICES_DENIED", [:], nil),
    (.unsupportedRegion(region: "HI"), .failedPrecondition, "UNSUPPORTED_REGION", ["region": "HI"], nil),
    (.guidanceUnavailable(retryAfterSeconds: 17), .unavailable, "GUIDANCE_UNAVAILABLE", [:], 17),
    (.serviceUnavailable(retryAfterSeconds: 2), .unavailable, "SERVICE_UNAVAILABLE", [:], 2),
    (.rateLimitExceeded(retryAfterSeconds: 3), .resourceExhausted, "RATE_LIMIT_EXCEEDED", [:], 3),
    (
      .invalidLoadEvent(InvalidLoadEvents(faults: [faults[0]], faultCount: 1, serverTime: Timestamp(seconds: 0))),
      .invalidArgument, "INVALID_LOAD_EVENT", ["violations": "1"], nil
    ),
    (.inProgress, .aborted, "IN_PROGRESS", [:], 1),
  ]

  // G-074
  @Test(arguments: table)
  func `says code, reason, metadata and delay of its error`(
    error: EnergyKitError, code: StatusCode, reason: String, metadata: [String: String], retrySeconds: Int64?
  ) throws {
    let status = Status(error, venueID: Self.venueID)
    let details = try details(status)
    #expect(status.code == code)
    #expect(details.code == Int32(code.rawValue))
    #expect(details.message == status.message && !status.message.isEmpty)
    #expect(details.reason == reason)
    #expect(details.domain == "energykit")
    #expect(details.metadata == metadata)
    #expect(details.retrySeconds == retrySeconds)
  }

  // G-074, G-076
  @Test func `of a rate limit has Python's bytes and pushes back`() throws {
    let status = Status(.rateLimitExceeded(retryAfterSeconds: 3))
    #expect(status.details == bytes(hex: Vectors.rateLimitStatus))
    #expect(status.trailers == Metadata([.init(name: "grpc-retry-pushback-ms", value: Array("3000".utf8))]))
    #expect(try details(status).quotaSubjects == ["client"])
    _ = Status(.rateLimitExceeded(retryAfterSeconds: .max))
  }

  @Test func `of invalid load events has Python's bytes`() {
    let invalid = InvalidLoadEvents(
      faults: Self.faults, faultCount: 2, serverTime: Timestamp(milliseconds: 1_700_000_000_005))
    let status = Status(.invalidLoadEvent(invalid))
    #expect(status.details == bytes(hex: Vectors.invalidLoadEventStatus))
  }

  @Test func `of an invalid request has one violation`() throws {
    let status = Status(InvalidRequest(field: "venue_id", description: "is not a UUID"))
    #expect(status.code == .invalidArgument)
    let details = try details(status)
    #expect(details.reason == "INVALID_REQUEST")
    #expect(details.violations == [["venue_id", "INVALID_REQUEST", "is not a UUID"]])
    #expect(Status(WireError.invalid(InvalidRequest(field: "venue_id", description: "is not a UUID"))) == status)
  }

  // G-060, G-069
  @Test(arguments: [
    (WireError.unparsable, StatusCode.internal), (.tooComplex, .resourceExhausted),
  ])
  func `of bytes that do not decode is one of the library's`(error: WireError, code: StatusCode) {
    #expect(Status(error).code == code)
    #expect(Status(error).details.isEmpty)
  }

  @Test func `of a missing or misplaced key says which of the two`() throws {
    #expect(Status.unauthenticated.code == .unauthenticated)
    #expect(try details(.unauthenticated).reason == "UNAUTHENTICATED")
    #expect(Status.keyNotAllowedHere.code == .permissionDenied)
    #expect(try details(.keyNotAllowedHere).reason == "PERMISSION_DENIED")
  }

  @Test func `of an administrative call names the resource`() throws {
    let venue = ResourceReference(type: "venue", name: "v1")
    let cases: [(Status, StatusCode, String)] = [
      (.notFound(venue), .notFound, "NOT_FOUND"), (.alreadyExists(venue), .alreadyExists, "ALREADY_EXISTS"),
      (.inUse(venue), .failedPrecondition, "IN_USE"),
    ]
    for (status, code, reason) in cases {
      #expect(status.code == code)
      #expect(try details(status).reason == reason)
      #expect(try details(status).resource == ["venue", "v1"])
    }
  }

  /// The size of trailers as RFC 9113 §6.5.2 counts them, headers of a trailers-only answer included.
  private func listByteCount(_ status: Status) -> Int {
    var block = FieldBlock()
    block.appendTrailersOnly(
      status, CallTerms(contentType: .proto), limit: .max)
    return block.listByteCount
  }

  static let manyFaults = (0..<1000).map {
    LoadEventFault(
      position: .loadEvent($0), field: "electric_vehicle.performance_metrics.estimated_range_meters",
      reason: .outOfRange, description: "muß endlich sein % " + String(repeating: "x", count: $0 % 50))
  }

  // G-074, G-075
  @Test(arguments: [7 << 10, 1 << 20, 4096, 2000, 1000])
  func `of 10000 faults keeps within the limit and says how many there are`(limit: Int) throws {
    let invalid = InvalidLoadEvents(faults: Self.manyFaults, faultCount: 10_000, serverTime: Timestamp(seconds: 0))
    let status = Status(.invalidLoadEvent(invalid), trailerLimit: limit)
    #expect(listByteCount(status) <= min(limit, 7 << 10))
    let details = try details(status)
    #expect(details.metadata["violations"] == "10000")
    let expected = Self.manyFaults.prefix(details.violations.count).map(\.path)
    #expect(details.violations.map(\.[0]) == expected)
    if limit >= 4096 { #expect(listByteCount(status) > min(limit, 7 << 10) - 700) }
    if limit >= 2000 { #expect(!expected.isEmpty) }
  }

  // G-075
  @Test(arguments: [0, 100, 300])
  func `has no details where the client takes next to nothing`(limit: Int) {
    let status = Status(.venueUnavailable, trailerLimit: limit)
    #expect(status.details.isEmpty)
    #expect(status.code == .notFound)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_700_000_000_005, "2023-11-14T22:13:20.005Z"),
      (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (.max, "9999-12-31T23:59:59.999Z"), (.min, "0001-01-01T00:00:00.000Z"),
    ] as [(Int64, String)])
  func `about times says the server's`(milliseconds: Int64, text: String) throws {
    let invalid = InvalidLoadEvents(
      faults: [Self.faults[1]], faultCount: 1, serverTime: Timestamp(milliseconds: milliseconds))
    #expect(try details(Status(.invalidLoadEvent(invalid))).metadata["server_time"] == text)
  }
}
