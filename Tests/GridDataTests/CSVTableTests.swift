import Testing

@testable import GridData

@Suite struct `A CSV table` {
  private func table(_ text: String) throws -> CSVTable { try CSVTable(text, source: "t.csv") }

  @Test(arguments: ["a,b\n1,2\n", "\u{FEFF}a,b\r\n1,2", " a , b \n\n1,\t2\n\n", "a,b\n\"1\",\"2\"\n"])
  func `is read however its lines end`(text: String) throws {
    let table = try table(text)
    #expect(table.columns == ["a", "b"])
    #expect(table.rows.map(\.fields) == [["1", "2"]])
  }

  @Test func `keeps commas, quotation marks and line breaks within quotation marks`() throws {
    let table = try table("a,b\n\"1,060\",\"say \"\"no\"\"\"\n\"x\ny\",\n3,4")
    #expect(table.rows.map(\.fields) == [["1,060", "say \"no\""], ["x\ny", ""], ["3", "4"]])
    #expect(table.rows.map(\.line) == [2, 3, 5])
  }

  @Test(arguments: [
    ("", "t.csv: is empty"), ("\n\n", "t.csv: is empty"),
    ("a,b\n1\n", "t.csv:2: has 1 fields where the header has 2"),
    ("a,b\n1,2\n1,2,3\n", "t.csv:3: has 3 fields where the header has 2"),
    ("a\n\"1", "t.csv:2: has a quotation mark that is never closed"),
    ("a\n\"1\"2", "t.csv:2: has text after a closing quotation mark"),
  ])
  func `is refused with the line at fault`(text: String, error: String) throws {
    let thrown = #expect(throws: GridDataError.self) { try table(text) }
    #expect(thrown?.description == error)
  }
}

@Suite struct `A number in a feed` {
  @Test(arguments: [
    ("1", 1.0), ("-2.5", -2.5), ("1,060", 1060), ("-1,234,567.5", -1_234_567.5), ("1e3", 1000), ("+3", 3),
  ])
  func `is read`(text: String, value: Double) {
    #expect(NumberText.read(text) == .number(value))
  }

  @Test(arguments: ["", "NaN", "nan", "null", "NA", "N/A", "None"])
  func `is missing, never zero`(text: String) {
    #expect(NumberText.read(text) == .missing)
  }

  @Test(arguments: [
    "abc", "1,5", "0x10", "inf", "-Infinity", "1e999", "1 2", "12,34,567", "1.234,5", ",100", "1__0", "٣",
  ])
  func `is refused where it is none`(text: String) {
    #expect(NumberText.read(text) == .invalid)
  }
}
