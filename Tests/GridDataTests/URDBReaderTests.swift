import EnergyModel
import Testing

@testable import GridData

@Suite struct `A URDB rate` {
  private static let row =
    "[" + [String](repeating: "0", count: 12).joined(separator: ",") + ","
    + [String](repeating: "1.0", count: 12).joined(separator: ",") + "]"
  private static let table = "[" + [String](repeating: row, count: 12).joined(separator: ",") + "]"
  private let now = utc(2026, 11, 30)

  private func json(_ changes: [String: String] = [:]) -> String {
    var fields = [
      "label": "\"abc\"", "name": "\"N\"", "utility": "\"U\"",
      "energyratestructure": "[[{\"rate\": 0.1, \"unit\": \"kWh\"}], [{\"rate\": 0.3, \"adj\": 0.05}]]",
      "energyweekdayschedule": Self.table, "energyweekendschedule": Self.table,
    ]
    for (key, value) in changes { fields[key] = value.isEmpty ? nil : value }
    return "{" + fields.map { "\"\($0)\": \($1)" }.joined(separator: ",") + "}"
  }

  private func read(_ text: String, id: String? = nil) throws -> [URDBRate] {
    try URDBReader.read(text, source: "r.json", id: id, now: now)
  }

  @Test func `is read from an object, an array and the API's answer`() throws {
    let one = json()
    let plans = try [one, "[\(one)]", "{\"items\": [\(one)]}", "\u{FEFF}\(one)"].map { try read($0) }
    #expect(plans.allSatisfy { $0 == plans[0] })
    let plan = try #require(plans[0].first?.plan)
    #expect(plan.id == "abc")
    #expect(plan.periodPricesUSDPerKWh == [0.1, 0.35])
    #expect(plan.priceUSDPerKWh(month: 1, hour: 11, isWeekend: false) == 0.1)
    #expect(plan.priceUSDPerKWh(month: 12, hour: 12, isWeekend: true) == 0.35)
    #expect(plans[0].first?.warnings == [])
    #expect(try read("[\(one), \(one)]").count == 2)
  }

  @Test func `is named by whoever reads it`() throws {
    #expect(try read(json(["label": ""]), id: "mine").first?.plan.id == "mine")
    #expect(throws: GridDataError.self) { try read("[\(json()), \(json())]", id: "mine") }
  }

  @Test func `warns of what the energy price does not tell`() throws {
    let rate = try #require(
      try read(
        json([
          "demandratestructure": "[[{\"rate\": 9}]]", "enddate": "1561874400",
          "energyratestructure":
            "[[{\"rate\": 0.1, \"unit\": \"kWh/kW\", \"max\": 300}, {\"rate\": 0.2}], [{\"rate\": 0.3}]]",
        ])
      ).first)
    #expect(
      rate.warnings == [
        .demandCharges, .tiers(periodCount: 1), .unit("kWh/kW"), .ended(Timestamp(seconds: 1_561_874_400)),
      ])
    #expect(rate.plan.periodPricesUSDPerKWh == [0.1, 0.3])
    #expect(rate.plan.endTime == Timestamp(seconds: 1_561_874_400))
  }

  @Test(arguments: [
    ("label", "", "label: is missing"),
    ("energyratestructure", "", "energyratestructure: is missing"),
    ("energyratestructure", "[]", "energyratestructure: has 0 periods; 1...1000 are expected"),
    ("energyratestructure", "[[], [{\"rate\": 1}]]", "energyratestructure[0]: has no tier"),
    ("energyratestructure", "[[{\"rate\": 0.1}], [{\"unit\": \"kWh\"}]]", "energyratestructure[1][0].rate: is missing"),
    (
      "energyratestructure", "[[{\"rate\": 0.1}], [{\"rate\": \"x\"}]]",
      "energyratestructure[1][0].rate: is not a number"
    ),
    (
      "energyratestructure", "[[{\"rate\": 0.1}], [{\"rate\": 101}]]",
      "energyratestructure[1][0].rate: is beyond 100 USD/kWh"
    ),
    ("energyratestructure", "[[{\"rate\": 0.1}], 7]", "energyratestructure[1]: is not an array"),
    (
      "energyratestructure", "[[{\"rate\": 0.1}]]", "energyweekdayschedule[0][12]: is 1.0, not one of the periods 0...0"
    ),
    ("energyweekendschedule", "", "energyweekendschedule: is missing"),
    ("energyweekdayschedule", "[[0]]", "energyweekdayschedule: has 1 months, not 12"),
    ("startdate", "\"soon\"", "startdate: is not a number"),
    ("enddate", "1e300", "enddate: is not a time in seconds since 1970"),
    ("name", "{}", "name: is not a text"),
  ])
  func `is refused with the field at fault`(field: String, value: String, error: String) {
    let thrown = #expect(throws: GridDataError.self) { try read(json([field: value])) }
    #expect(thrown?.description == "r.json: \(error)")
  }

  @Test(arguments: [
    ("1.5", "is 1.5, not one of the periods 0...1"), ("-1", "is -1.0, not one of the periods 0...1"),
    ("2", "is 2.0, not one of the periods 0...1"), ("null", "is missing"), ("true", "is not a number"),
  ])
  func `is refused for a cell that is no period`(cell: String, reason: String) {
    let row = "[" + ([cell] + [String](repeating: "0", count: 23)).joined(separator: ",") + "]"
    let table =
      "["
      + ([String](repeating: Self.row, count: 3) + [row] + [String](repeating: Self.row, count: 8)).joined(
        separator: ",") + "]"
    let thrown = #expect(throws: GridDataError.self) {
      try read("{\"items\": [\(json(["energyweekendschedule": table]))]}")
    }
    #expect(thrown?.description == "r.json: items[0].energyweekendschedule[3][0]: \(reason)")
  }

  @Test func `is refused for a day that has not 24 hours`() {
    let table = "[" + ([String](repeating: Self.row, count: 11) + ["[0]"]).joined(separator: ",") + "]"
    let thrown = #expect(throws: GridDataError.self) { try read(json(["energyweekdayschedule": table])) }
    #expect(thrown?.description == "r.json: energyweekdayschedule[11]: has 1 hours, not 24")
  }

  @Test(arguments: [
    "", "{", "7", "[]", "{\"items\": []}", "{\"items\": 3}", "[1]", String(repeating: "[", count: 100_000),
  ])
  func `is refused where the text holds none`(text: String) {
    #expect(throws: GridDataError.self) { try read(text) }
  }

  @Test(arguments: [
    (6, 14, 0.34578), (6, 15, 0.54779), (6, 16, 0.65828), (6, 20, 0.65828), (6, 21, 0.54779), (9, 23, 0.54779),
    (10, 16, 0.53117), (10, 21, 0.51447), (1, 0, 0.34578),
  ])
  func `of the demonstration is EV2-A and has no end`(month: Int, hour: Int, price: Double) throws {
    let plan = try BundledRates.pgeEV2A(now: now)
    #expect(plan.id == "pge-ev2a")
    for isWeekend in [true, false] {
      #expect(plan.priceUSDPerKWh(month: month, hour: hour, isWeekend: isWeekend) == price)
    }
    #expect(plan.startTime == utc(2024, 1, 1, 8))
    #expect(plan.endTime == nil)
  }
}
