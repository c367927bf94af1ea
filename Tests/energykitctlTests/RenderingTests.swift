import EnergyModel
import EnergyWire
import FoundationEssentials
import LocalTime
import TestSupport
import Testing

@testable import energykitctl

@Suite struct `What people see` {
  private static let id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

  @Test func `is a table whose columns fit, whatever the script`() {
    var table = Table("NAME", "REGION", "X")
    table.add("Haus", "CISO", "1")
    table.add("家", "", "2")
    table.add("e\u{301}tage", "E", "3")
    #expect(
      table.text == """
        NAME   REGION  X
        Haus   CISO    1
        家     -       2
        e\u{301}tage  E       3
        """)
  }

  @Test func `holds nothing that moves the cursor or turns the text`() {
    #expect(Text.clean("a\u{1B}[31mb\r\n\u{202E}c\u{7F}") == "a\u{FFFD}[31mb\u{FFFD}\u{FFFD}\u{FFFD}c\u{FFFD}")
    #expect(Text.clean("Zoë 家 👩‍💻") == "Zoë 家 👩‍💻")
  }

  static let widths: [(String, Int)] = [("", 0), ("abc", 3), ("ß", 1), ("家", 2), ("e\u{301}", 1), ("👩‍💻", 2), ("☀️", 2)]

  @Test(arguments: widths) func `is measured in columns`(text: String, columns: Int) {
    #expect(Text.width(text) == columns)
  }

  private func venue() throws -> Contract.Venue {
    let message = WireBuilder {
      $0.message(1) {
        $0.text(1, Self.id)
        $0.text(2, "Haus\u{1B}")
        $0.text(4, "America/Los_Angeles")
      }
    }
    return try Contract.GetVenue.answer(decoding: message.bytes)
  }

  /// Hours from Monday 2026-11-30 16:00 in California.
  private func guidance(_ hours: [(from: Int64, to: Int64, rating: Double)]) throws -> Contract.Guidance {
    let start: Int64 = 1_796_083_200
    let message = WireBuilder {
      $0.message(1) {
        $0.text(1, Self.id)
        $0.text(2, Self.id)
        $0.number(3, 1)
        $0.data(5, [1, 2])
        for hour in hours {
          $0.message(6) {
            $0.message(1) {
              $0.message(1) { $0.number(1, start + 3600 * hour.from) }
              $0.message(2) { $0.number(1, start + 3600 * hour.to) }
            }
            $0.double(2, hour.rating)
          }
        }
        $0.message(7) { $0.number(1, start + 300) }
        $0.text(8, "CISO")
        $0.message(9) { $0.number(1, start + 3600) }
      }
    }
    return try Contract.StreamGuidance.answer(decoding: message.bytes)
  }

  @Test func `are bars on the venue's clock, the best of them marked`() throws {
    let chart = GuidanceChart(
      venue: try venue(), guidance: try guidance([(0, 1, 1), (1, 8, 0.5), (8, 11, 0.04), (11, 40, 0)]))
    #expect(
      chart.text == """
        Haus\u{FFFD} (CISO, America/Los_Angeles, shift, with the rate plan): lower is better, * the best
        issued 2026-11-30 16:05, the next by 2026-11-30 17:00
          Mon 16:00 - 17:00      1.00 ████████████████████████████████████████
          Mon 17:00 - 00:00      0.50 ████████████████████
        * Tue 00:00 - 03:00      0.04 █▋
        * Tue 03:00 - Wed 08:00  0.00
        """)
  }

  @Test func `has colours only where they are wanted`() throws {
    var chart = GuidanceChart(venue: try venue(), guidance: try guidance([(0, 1, 1), (1, 2, 0.1)]))
    #expect(!chart.text.contains("\u{1B}"))
    chart.isColoured = true
    #expect(chart.text.contains("\u{1B}[31m████") && chart.text.contains("\u{1B}[32m████"))
  }

  @Test func `says why where that was asked for`() throws {
    let explanation = RatingExplanation(
      carbonIntensity: 250.4, referenceRank: 0.333, priceUSDPerKWh: 0.25, quality: .climatology, isGridEvent: true)
    let chart = GuidanceChart(
      venue: try venue(), guidance: try guidance([(0, 1, 0.5)]), explanations: [explanation])
    #expect(chart.text.hasSuffix("  250 g/kWh, rank 0.33, 0.250 USD/kWh, grid event, typical values"))
  }

  static let numbers: [(Double, Int, String)] = [
    (0, 2, "0.00"), (0.005, 2, "0.01"), (1, 2, "1.00"), (-122.42, 2, "-122.42"), (-0.001, 2, "0.00"), (99.99, 0, "100"),
    (.infinity, 2, "inf"), (1e300, 2, "1e+300"),
  ]

  @Test(arguments: numbers) func `has numbers with so many decimals`(value: Double, digits: Int, text: String) {
    #expect(Decimal.text(value, digits: digits) == text)
  }

  static let moments: [(String, Int64?)] = [
    // Monday 16:05 in California.
    ("now", 1_796_083_500), ("18:00", 1_796_090_400), ("16:00", 1_796_169_600), ("2026-12-01T18:00", 1_796_176_800),
    ("2026-12-02T02:00:00Z", 1_796_176_800), ("25:00", nil), ("18:60", nil), ("6pm", nil), ("2026-13-01T18:00", nil),
    ("", nil), ("2026-12-01 18:00", nil),
  ]

  @Test(arguments: moments) func `are times as people write them`(text: String, seconds: Int64?) throws {
    let clock = try #require(LocalClock(timeZone: "America/Los_Angeles"))
    let moment = Moment.parse(text, after: Timestamp(seconds: 1_796_083_500), clock: clock)
    #expect(moment?.seconds == seconds)
  }
}
