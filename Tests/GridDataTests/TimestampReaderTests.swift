import EnergyModel
import LocalTime
import Testing

@testable import GridData

@Suite struct `A stamp in a feed` {
  private func read(_ texts: [String], zone: String? = nil) throws -> [Timestamp] {
    var reader = TimestampReader(clock: zone.flatMap(LocalClock.init(timeZone:)))
    return try texts.map { try reader.read($0) }
  }

  @Test(arguments: [
    "2024-11-03T09:00:00Z", "2024-11-03 09:00Z", "2024-11-03T01:00:00-08:00", "2024-11-03T01:00-0800",
    "2024-11-03T14:30:00+05:30", "2024-11-03t09:00:00.000z", "2024-11-03T09Z",
  ])
  func `with an offset needs no zone`(text: String) throws {
    #expect(try read([text]) == [utc(2024, 11, 3, 9)])
  }

  @Test func `keeps milliseconds and cuts what is finer`() throws {
    let moments = try read(["2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00.25Z", "2024-01-01T00:00:00.1239Z"])
    #expect(moments.map { $0.milliseconds(since: utc(2024, 1, 1)) } == [500, 250, 123])
  }

  @Test func `of hour 24 is the next midnight`() throws {
    #expect(try read(["2024-02-29T24:00Z"]) == [utc(2024, 3, 1)])
    #expect(try read(["2024-07-04 24:00"], zone: "America/Los_Angeles") == [utc(2024, 7, 5, 7)])
  }

  @Test func `by the wall clock is daylight saving time first, then standard time`() throws {
    let moments = try read(
      ["2024-11-03 00:00", "2024-11-03 01:00", "2024-11-03 01:00", "2024-11-03 02:00"], zone: "America/Los_Angeles")
    #expect(moments == [utc(2024, 11, 3, 7), utc(2024, 11, 3, 8), utc(2024, 11, 3, 9), utc(2024, 11, 3, 10)])
    let quarters = try read(
      ["2024-11-03 01:00", "2024-11-03 01:30", "2024-11-03 01:00", "2024-11-03 01:30"], zone: "America/Los_Angeles")
    #expect(quarters == [utc(2024, 11, 3, 8), utc(2024, 11, 3, 8, 30), utc(2024, 11, 3, 9), utc(2024, 11, 3, 9, 30)])
  }

  @Test func `in the hour that spring skips is refused, not shifted`() {
    #expect(throws: TimestampReader.Failure.nonexistent) {
      try read(["2024-03-10 02:30"], zone: "America/Los_Angeles")
    }
    #expect(throws: Never.self) { try read(["2024-03-10 02:30"], zone: "America/Phoenix") }
  }

  @Test func `without an offset needs a zone`() {
    #expect(throws: TimestampReader.Failure.noZone) { try read(["2024-03-10 02:30"]) }
  }

  @Test(arguments: [
    "", "2024", "2024-13-01T00:00Z", "2023-02-29T00:00Z", "2024-01-01T25:00Z", "2024-01-01T24:01Z",
    "2024-01-01T00:60Z", "2024-01-01T00:00:60Z", "2024-01-01T00:00Zx", "2024-01-01T00:00+5", "2024-01-01T00:00+24:00",
    "2024-1-1T00:00Z", "2024-01-01", "2024-01-01T00:00:00.Z", "1/2/2024 3:00", "２024-01-01T00:00Z",
  ])
  func `is refused where it is none`(text: String) {
    #expect(throws: TimestampReader.Failure.notATime) { try read([text], zone: "UTC") }
  }
}
