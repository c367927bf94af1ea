import FoundationEssentials
import Testing

@testable import energykitd

@Suite struct `The settings` {
  private static let page = #filePath.replacing("Tests/energykitdTests/SettingTests.swift", with: "docs/operating.md")

  /// The flags that the table of docs/operating.md has, one a row: "| `--listen ADDR` | …".
  private func documented() throws -> [String] {
    let rows = try String(contentsOfFile: Self.page, encoding: .utf8).split(separator: "\n")
    return rows.filter { $0.hasPrefix("| `--") }.map { row in
      String(row.dropFirst("| `--".count).prefix { $0 != " " && $0 != "`" })
    }
  }

  @Test func `are all in the operator's page, each once`() throws {
    #expect(try documented().sorted() == Setting.allCases.map(\.rawValue).sorted())
  }

  @Test(arguments: Setting.allCases) func `are in the help`(setting: Setting) {
    #expect(Setting.helpText.contains("  --\(setting.rawValue)"))
  }
}
