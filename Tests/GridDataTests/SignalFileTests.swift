import EnergyModel
import Foundation
import Testing

@testable import GridData

@Suite struct `A file of values` {
  private func manifest(_ changes: [String: String] = [:]) throws -> SignalManifest {
    var fields = [
      "region": "\"MINE\"", "kind": "\"carbon_average\"", "model": "\"m-1\"", "unit": "\"g/kWh\"",
      "stamps": "\"beginning\"",
    ]
    for (key, value) in changes { fields[key] = value.isEmpty ? nil : value }
    let json = "{" + fields.map { "\"\($0)\": \($1)" }.joined(separator: ",") + "}"
    return try SignalManifest(json: JSONValue(parsing: json, source: "f.csv.json"), source: "f.csv.json")
  }

  private func load(_ text: String, _ changes: [String: String] = [:]) throws -> SignalFile {
    try SignalFile(text, source: "f.csv", manifest: manifest(changes), changeTime: utc(2024, 1, 1))
  }

  @Test func `is read by the usual names of columns, sorted, with the least step`() throws {
    let file = try load("Time,Intensity\n2024-01-01T01:00Z,120\n2024-01-01T00:00Z,110\n2024-01-01T03:00Z,130\n")
    #expect(file.points.map(\.value) == [110, 120, 130])
    #expect(file.points.map(\.interval.start) == [utc(2024, 1, 1), utc(2024, 1, 1, 1), utc(2024, 1, 1, 3)])
    #expect(file.points.allSatisfy { $0.interval.milliseconds == hour })
    #expect(file.key == SignalKey(gridRegion: "MINE", kind: .carbonAverage, model: "m-1"))
    #expect(file.issueTime == utc(2024, 1, 1))
  }

  @Test func `may stamp its hours at their end`() throws {
    let file = try load("time,value\n2024-01-01T01:00Z,1\n2024-01-01T02:00Z,2", ["stamps": "\"ending\""])
    #expect(file.points.first?.interval.start == utc(2024, 1, 1))
  }

  @Test func `may say where each value ends`() throws {
    let file = try load("start,end,value\n2024-01-01T00:00Z,2024-01-01T00:05Z,1\n2024-01-01T00:05Z,2024-01-01T01:00Z,2")
    #expect(file.points.map(\.interval.milliseconds) == [300_000, 3_300_000])
  }

  @Test(arguments: [
    ("lb/MWh", "carbon_average", 45.359237), ("kg/kWh", "carbon_marginal", 100_000.0),
    ("kg/MWh", "carbon_average", 100),
    ("lb/kWh", "carbon_average", 45_359.237), ("USD/MWh", "price", 0.1), ("USD/kWh", "price", 100),
  ])
  func `is converted from its unit`(unit: String, kind: String, value: Double) throws {
    let scale = value > 5000 ? 0.001 : 1  // within what a grid can have
    let file = try load(
      "time,value\n2024-01-01T00:00Z,\(100 * scale)\n2024-01-01T01:00Z,0",
      ["unit": "\"\(unit)\"", "kind": "\"\(kind)\""])
    #expect(abs((file.points.first?.value ?? 0) - value * scale) < 1e-6)
  }

  @Test func `leaves out what is missing and what carbon cannot be`() throws {
    let text = "time,value\n2024-01-01T00:00Z,NaN\n2024-01-01T01:00Z,\n2024-01-01T02:00Z,-4\n2024-01-01T03:00Z,5\n"
    let carbon = try load(text)
    #expect(carbon.points.map(\.interval.start) == [utc(2024, 1, 1, 3)])
    #expect(carbon.missingCount == 3)
    let price = try load(text, ["kind": "\"price\"", "unit": "\"USD/kWh\""])
    #expect(price.points.map(\.value) == [-4, 5])
  }

  @Test func `by the wall clock has 25 hours in autumn`() throws {
    let file = try load(
      "timestamp,value\n2024-11-03 00:00,312.4\n2024-11-03 01:00,305.0\n2024-11-03 01:00,301.2\n2024-11-03 02:00,NaN\n2024-11-03 03:00,299.9\n",
      ["zone": "\"America/Los_Angeles\""])
    #expect(file.points.map(\.interval.start) == [7, 8, 9, 11].map { utc(2024, 11, 3, $0) })
    #expect(file.points.allSatisfy { $0.interval.milliseconds == hour })
  }

  @Test func `drops equal repetitions and refuses others`() throws {
    let equal = "time,value\n2024-01-01T00:00Z,1\n2024-01-01T00:00Z,1\n2024-01-01T01:00Z,2"
    #expect(try load(equal).points.count == 2)
    let error = #expect(throws: GridDataError.self) {
      try load("time,value\n2024-01-01T00:00Z,1\n2024-01-01T01:00Z,2\n2024-01-01T00:00Z,3")
    }
    #expect(error?.description == "f.csv:4: has another value for the time of line 2")
  }

  @Test func `of one row needs a step`() throws {
    #expect(throws: GridDataError.self) { try load("time,value\n2024-01-01T00:00Z,1") }
    let file = try load("time,value\n2024-01-01T00:00Z,1", ["step_seconds": "300"])
    #expect(file.points.first?.interval.milliseconds == 300_000)
  }

  @Test(arguments: [
    ("when,value\n", "f.csv:1: no time column: one of timestamp, time, datetime, start, period is expected"),
    ("time,x\n", "f.csv:1: no value column: one of value, price, intensity is expected"),
    ("time,value\nsoon,1\n", "f.csv:2: time: soon is not a time such as 2024-11-03T01:00:00-07:00"),
    ("time,value\n2024-01-01 00:00,1\n", "f.csv:2: time: 2024-01-01 00:00 has no offset, and no zone was named"),
    ("time,value\n2024-01-01T00:00Z,x\n", "f.csv:2: value: x is not a number"),
    ("time,value\n2024-01-01T00:00Z,5001\n", "f.csv:2: value: 5001 g/kWh is beyond any grid"),
    ("time,value\n2024-01-01T00:00Z,\n2024-01-01T01:00Z,\n", "f.csv: has no values"),
    ("start,end,value\n2024-01-01T00:00Z,2024-01-01T00:00Z,1\n", "f.csv:2: end: is not after the start"),
    (
      "start,end,value\n2024-01-01T00:00Z,2024-01-01T02:00Z,1\n2024-01-01T01:00Z,2024-01-01T02:00Z,1\n",
      "f.csv:3: overlaps the value before it"
    ),
  ])
  func `is refused with line and reason`(text: String, error: String) {
    let thrown = #expect(throws: GridDataError.self) { try load(text) }
    #expect(thrown?.description == error)
  }

  @Test func `in an hour that spring skips is refused`() {
    let error = #expect(throws: GridDataError.self) {
      try load("time,value\n2024-03-10 02:00,1", ["zone": "\"America/Los_Angeles\""])
    }
    #expect(error?.reason == "2024-03-10 02:00 does not exist: the clocks skip this hour")
  }

  @Test(arguments: [
    ("region", "", "region: is missing"),
    ("kind", "\"co2\"", "kind: is co2; carbon_average, carbon_marginal and price are known"),
    (
      "unit", "\"USD/kWh\"",
      "unit: is USD/kWh; known for this kind are g/kWh, gCO2eq/kWh, kg/MWh, kg/kWh, lb/MWh, lb/kWh"
    ),
    ("stamps", "\"middle\"", "stamps: is middle; beginning and ending are known"),
    ("zone", "\"PST\"", "zone: PST is not a zone of the IANA database"),
    ("step_seconds", "0.5", "step_seconds: is not a whole number of 60...86400"),
    ("modle", "\"x\"", "modle: is not a key of a manifest"),
    ("issue_time", "\"now\"", "issue_time: is not a time such as 2024-11-03T01:00:00-07:00"),
    ("model", "7", "model: is not a text"), ("format", "\"xml\"", "format: is xml; csv is known"),
  ])
  func `has a manifest that is as strict`(key: String, value: String, error: String) {
    let thrown = #expect(throws: GridDataError.self) { try manifest([key: value]) }
    #expect(thrown?.description == "f.csv.json: \(error)")
  }

  @Test func `may hold so many values and no more`() throws {
    let three = "time,value\n2024-01-01T00:00Z,1\n2024-01-01T01:00Z,2\n2024-01-01T02:00Z,3"
    let manifest = try manifest()
    let load = { (limit: Int) throws(GridDataError) in
      try SignalFile(three, source: "f.csv", manifest: manifest, changeTime: utc(2024, 1, 1), maximumPointCount: limit)
    }
    #expect(try load(3).points.count == 3)
    let error = #expect(throws: GridDataError.self) { try load(2) }
    #expect(error?.description == "f.csv: has more than 2 values")
    #expect(SignalFile.maximumPointCount == 100_000)
  }
}

@Suite struct `A source of files` {
  private func directory() throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("signal-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  @Test func `reads the shipped example as the recording has it`() throws {
    let directory = try directory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("c.csv").path
    try shippedFile("data/grid/carbon_intensity.csv").write(toFile: path, atomically: true, encoding: .utf8)
    try shippedFile("data/grid/carbon_intensity.csv.json").write(
      toFile: path + ".json", atomically: true, encoding: .utf8)
    let file = try SignalFile(path: path)
    #expect(file.points.count == 241)
    #expect(file.issueTime == utc(2023, 6, 20))
    let now = utc(2023, 6, 18, 7, 30)
    let snapshot = try #require(FileSource([file]).snapshot(gridRegion: "CISO", at: now))
    let recorded = try #require(try RecordedSource().snapshot(gridRegion: "CISO", at: now))
    #expect(snapshot.forecast?.points == recorded.forecast.map { Array($0.points.prefix(41)) })
    #expect(snapshot.measured?.points.count == 200)
    #expect(snapshot.measured?.points.last == recorded.measured?.points.last)
    #expect(FileSource([file]).snapshot(gridRegion: "ERCO", at: now) == nil)
  }

  @Test func `says which file it cannot read`() throws {
    let error = #expect(throws: GridDataError.self) { try SignalFile(path: "/nonexistent/x.csv") }
    #expect(error?.description == "/nonexistent/x.csv.json: cannot be read: no such file")
    let directory = try directory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("x.csv").path
    try "{".write(toFile: path + ".json", atomically: true, encoding: .utf8)
    #expect(throws: GridDataError.self) { try SignalFile(path: path) }
  }
}
