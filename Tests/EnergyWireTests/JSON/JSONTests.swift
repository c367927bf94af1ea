import EnergyModel
import EnergyWire
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `JSON of messages` {
  private static let id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

  private func json<Call: ContractCall>(_: Call.Type, _ bytes: [UInt8]) throws -> String {
    try Call.withDecoded(bytes) { message throws(WireError) in try message.json() }
  }

  private func value(_ text: String) throws -> JSONText.Value {
    var reader = JSONReader(Array(text.utf8))
    return try #require(try reader.next())
  }

  @Test func `has every field that has no presence, in ASCII, in order`() throws {
    let venue = WireBuilder {
      $0.message(1) {
        $0.text(2, "Fluß \"\u{1F50C}\"\n\u{1B}")
        $0.text(1, Self.id)
      }
    }
    #expect(
      try json(Contract.GetVenue.self, venue.bytes) == """
        {"venue":{"id":"\(Self.id)","name":"Flu\\u00df \\"\\ud83d\\udd0c\\"\\n\\u001b","homeId":"","timeZone":"",\
        "gridRegion":"","hasRatePlan":false}}
        """)
    #expect(try json(Contract.GetVenue.self, []) == "{}")
  }

  @Test func `writes times, enums, lists and wrappers by protobuf's mapping`() throws {
    let plan = WireBuilder {
      $0.text(1, Self.id)
      $0.message(2) {
        $0.message(1) { $0.number(1, 1_700_000_000) }
        $0.message(2) {
          $0.number(1, 1_700_003_600)
          $0.number(2, 5_000_000)
        }
      }
      $0.double(3, 0.25)
      $0.message(4) { $0.double(1, 1) }
    }
    #expect(
      try json(Contract.PlanLoad.self, plan.bytes) == """
        {"guidanceToken":"\(Self.id)","intervals":[{"start":"2023-11-14T22:13:20.000Z","end":"2023-11-14T23:13:20.005Z"}],\
        "meanRating":0.25,"immediateMeanRating":1,"windowCovered":false}
        """)
    let client = WireBuilder {
      $0.message(1) {
        $0.data(3, [1, 2, 9])
      }
    }
    #expect(
      try json(Contract.GetClient.self, client.bytes).contains(
        #""entitlements":["ENTITLEMENT_ENERGYKIT","ENTITLEMENT_LOAD_EVENTS_EXPERIENCE",9]"#))
    let published = WireBuilder { $0.number(3, 1 << 60) }
    #expect(
      try json(Contract.PublishGridSignal.self, published.bytes)
        == #"{"storedCount":0,"guidanceChanged":false,"subscribersNotified":"1152921504606846976"}"#)
  }

  @Test func `gives the rows of a listing one by one`() throws {
    let page = WireBuilder {
      $0.message(1) { $0.text(2, "a") }
      $0.message(1) { $0.text(2, "b") }
      $0.text(2, "next")
    }
    let rows = try Contract.ListVenues.withDecoded(page.bytes) { message throws(WireError) in
      try message.jsonItems(of: "venues")
    }
    #expect(rows.count == 2 && rows[1].contains(#""name":"b""#))
    let none = try Contract.ListVenues.withDecoded(page.bytes) { message throws(WireError) in
      try message.jsonItems(of: "next_page_token") + message.jsonItems(of: "nothing")
    }
    #expect(none.isEmpty)
  }

  @Test func `becomes an event with either spelling of names`() throws {
    let camel = """
      {"id": "\(Self.id)", "timestamp": "2023-11-14T23:13:20.123+01:00", "sessionState": "SESSION_STATE_BEGIN",
       "wasFollowingGuidance": true, "hvac": {"stagePercent": 0}, "deviceId": "h1", "guidanceToken": null}
      """
    let snake = """
      {"id": "\(Self.id)", "timestamp": "2023-11-14T22:13:20.123Z", "session_state": 1,
       "was_following_guidance": true, "hvac": {"stage_percent": "0"}, "device_id": "h\\u0031"}
      """
    let expected = WireBuilder {
      $0.text(1, Self.id)
      $0.message(2) {
        $0.number(1, 1_700_000_000)
        $0.number(2, 123_000_000)
      }
      $0.number(4, 1)
      $0.number(5, 1)
      $0.message(10) { $0.number(1, 0) }
      $0.text(7, "h1")
    }
    #expect(try Contract.EncodedEvent(.load, json: try value(camel)).bytes == expected.bytes)
    #expect(try Contract.EncodedEvent(.load, json: try value(snake)).bytes == expected.bytes)
  }

  static let faults: [(String, String)] = [
    (#"{"sesionId": ""}"#, "energykit.v1.LoadEvent has no field \"sesionId\""),
    (#"{"id": 5}"#, "\"id\" must be a string"),
    (#"{"sessionState": "BEGIN"}"#, "\"sessionState\" does not know \"BEGIN\""),
    (#"{"timestamp": "yesterday"}"#, "a time is needed, like \"2026-11-30T23:07:22.123Z\""),
    (#"{"deviceId": "a", "device": {}}"#, "\"device\" excludes another field that is there"),
    (#"{"hvac": 3}"#, "an object is needed for energykit.v1.HvacMeasurement"),
    (
      #"{"hvac": {"stagePercent": 1.5}}"#,
      "\"stagePercent\" must be a whole number from -2147483648 to 2147483647"
    ),
    (#"{"wasFollowingGuidance": "yes"}"#, "\"wasFollowingGuidance\" must be true or false"),
    ("[]", "an object is needed for energykit.v1.LoadEvent"),
  ]

  @Test(arguments: faults) func `that is no event says what is wrong`(text: String, message: String) throws {
    let value = try value(text)
    #expect(throws: JSONText.Fault(line: 1, message)) { try Contract.EncodedEvent(.load, json: value) }
  }

  static let garbled: [(String, Int)] = [
    ("{", 1), ("{\n\"a\" 1}", 2), ("[1,\n\n,2]", 3), ("\"\u{01}\"", 1), ("\"\\x\"", 1), ("\"\\ud800\"", 1), ("01x", 1),
    ("-", 1), ("1.", 1), ("nul", 1), ("{\"a\":1,\"a\":2}", 1), ("\"abc", 1), ("\"\\u12", 1),
    (String(repeating: "[", count: 5000), 1),
  ]

  @Test(arguments: garbled) func `that is none names the line`(text: String, line: Int) {
    var reader = JSONReader(Array(text.utf8))
    do throws(JSONText.Fault) {
      while try reader.next() != nil {}
      Issue.record("it was read")
    } catch {
      #expect(error.line == line)
    }
  }

  @Test func `comes as one value after the other`() throws {
    var reader = JSONReader(Array("\u{FEFF}{\"a\": [true, false, null]}\n 12 \"x\"[]".utf8))
    var lines: [Int] = []
    while let value = try reader.next() { lines.append(value.line) }
    #expect(lines == [1, 2, 2, 2])
  }

  static let times: [(String, Int64?)] = [
    ("1970-01-01T00:00:00Z", 0), ("2023-11-14T22:13:20Z", 1_700_000_000_000),
    ("2024-02-29T00:00:00.5Z", 1_709_164_800_500), ("2023-11-14T22:13:20.123456789Z", 1_700_000_000_123),
    ("2023-11-14t17:13:20-05:00", 1_700_000_000_000), ("0001-01-01T00:00:00Z", -62_135_596_800_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("1900-03-01T00:00:00Z", -2_203_891_200_000),
    ("2023-02-29T00:00:00Z", nil), ("2023-13-01T00:00:00Z", nil), ("2023-11-14T24:00:00Z", nil),
    ("2023-11-14T22:13:60Z", nil), ("2023-11-14T22:13:20", nil), ("2023-11-14 22:13:20Z", nil), ("", nil),
    ("2023-11-14T22:13:20.Z", nil), ("2023-11-14T22:13:20+5:00", nil), ("0001-01-01T00:00:00+01:00", nil),
    ("２023-11-14T22:13:20Z", nil),
  ]

  @Test(arguments: times) func `has times of RFC 3339`(text: String, milliseconds: Int64?) {
    #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
  }

  @Test func `reads the times that it writes`() {
    for day in stride(from: Int64(-719_162), to: 2_932_896, by: 97) {
      let time = Timestamp(milliseconds: day * 86_400_000 + 12_345_678)
      #expect(Timestamp(rfc3339: time.rfc3339) == time)
    }
  }
}
