import EnergyModel
import EnergyWire
import FoundationEssentials
import Testing

@testable import energykitctl

@Suite struct `A file of events` {
  private static let home = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
  private static let other = "00000000-0000-0000-0000-00000000000a"

  private func entries(_ text: String, venue: String? = nil) throws -> [EventFile.Entry] {
    try EventFile(Array(text.utf8), venueID: venue.flatMap { UUID(text: $0) }).entries
  }

  @Test func `is lines of events, whose kind shows in what they say`() throws {
    let text = """
      {"deviceId": "a"}

      {"chargerPluggedIn": {}}
      {"charging_idle": "IDLE_REASON_UNKNOWN"} {"hvac": {}}
      """
    let entries = try entries(text, venue: Self.home)
    #expect(entries.map(\.line) == [1, 3, 4, 4])
    #expect(entries.map(\.event.kind) == [.load, .vehicleStatus, .vehicleStatus, .load])
  }

  @Test func `is batches too, each with its venue`() throws {
    let text = """
      {"venueId": "\(Self.other)", "vehicleStatusEvents": [{"chargerUnplugged": {}}], "loadEvents": [{}, {}]}
      {"load_events": [{}]}
      """
    let entries = try entries(text, venue: Self.home)
    #expect(entries.map(\.venueID.text) == [Self.other, Self.other, Self.other, Self.home])
    #expect(entries.map(\.event.kind) == [.load, .load, .vehicleStatus, .load])
  }

  static let mistakes: [(String, String)] = [
    ("\n{}", "whose venue?"), ("{\"venueId\": \"x\", \"loadEvents\": []}", "venueId is no UUID"),
    ("{\"loadEvents\": {}}", "a list of events is needed"),
    ("{\"loadEvents\": [], \"allowPartialSuccess\": true}", "--partial is a flag"),
    ("[{}]", "an object is needed"),
  ]

  @Test(arguments: mistakes) func `says what is wrong with it`(text: String, message: String) throws {
    do {
      _ = try entries(text, venue: text == "[{}]" ? Self.home : nil)
      Issue.record("it was read")
    } catch {
      #expect((error as? JSONText.Fault)?.message.contains(message) == true)
    }
  }

  @Test func `is cut into batches of one venue, in order`() throws {
    let lines = (0..<7).map { _ in "{}" }.joined(separator: "\n")
    let entries = try entries(
      lines + "{\"venueId\": \"\(Self.other)\", \"loadEvents\": [{}]}" + lines, venue: Self.home)
    let batches = EventBatch.cut(entries, maximumCount: 3)
    #expect(batches.map(\.entries.count) == [3, 3, 1, 1, 3, 3, 1])
    #expect(batches.flatMap(\.entries).map(\.line) == entries.map(\.line))
    #expect(batches.allSatisfy { batch in batch.entries.allSatisfy { $0.venueID == batch.venueID } })
  }

  @Test func `is cut where a call would become too large`() throws {
    let name = String(repeating: "n", count: 1 << 20)
    let entries = try entries(
      Array(repeating: "{\"device\": {\"name\": \"\(name)\"}}", count: 5).joined(separator: "\n"), venue: Self.home)
    #expect(EventBatch.cut(entries, maximumCount: 1000).map(\.entries.count) == [2, 2, 1])
  }

  @Test func `knows the line of each fault`() throws {
    let text = "{}\n{\"chargerPluggedIn\": {}}\n{}\n{}"
    let batch = try #require(EventBatch.cut(try entries(text, venue: Self.home), maximumCount: 10).first)
    #expect(batch.line(of: "load_events[1].guidance_token") == 3)
    #expect(batch.line(of: "load_events[2]") == 4)
    #expect(batch.line(of: "vehicle_status_events[0].id") == 2)
    for field in ["load_events[3].id", "load_events[x]", "load_events[-1]", "venue_id", ""] {
      #expect(batch.line(of: field) == nil)
    }
  }
}
