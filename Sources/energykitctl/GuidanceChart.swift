import EnergyModel
import EnergyWire
import LocalTime

/// Guidance as bars, times on the venue's clock.
struct GuidanceChart {
  let venue: Contract.Venue
  let guidance: Contract.Guidance
  var explanations: [RatingExplanation] = []
  var isColoured = false

  private static let barColumns = 40
  /// Ratings this close to the best one count as the best.
  static let bestMargin = 0.05

  var text: String {
    ([heading] + [dates] + rows).joined(separator: "\n")
  }

  private var clock: LocalClock { LocalClock(timeZone: venue.timeZone) ?? .utc }

  private var heading: String {
    let action = guidance.action.map { $0 == .shift ? "shift" : "reduce" } ?? "unknown action"
    var parts = [Text.clean(guidance.gridRegion), clock.timeZone, action]
    if guidance.options.contains(.guidanceIncorporatesRatePlan) { parts.append("with the rate plan") }
    return "\(Text.clean(venue.name)) (\(parts.joined(separator: ", "))): lower is better, * the best"
  }

  private var dates: String {
    let issued = guidance.issueTime.map { "issued \(clock.dateAndTime($0))" }
    let next = guidance.nextUpdateTime.map { "the next by \(clock.dateAndTime($0))" }
    return [issued, next].compactMap { $0 }.joined(separator: ", ")
  }

  private var rows: [String] {
    let spans = guidance.values.map { clock.span($0.interval) }
    let width = spans.map(Text.width).max() ?? 0
    let best = guidance.values.map(\.rating.value).min() ?? 0
    return zip(guidance.values, spans).enumerated().map { index, pair in
      let rating = pair.0.rating.value
      let mark = rating <= best + Self.bestMargin ? "*" : " "
      let number = Decimal.text(rating, digits: 2)
      let why = explanations.indices.contains(index) ? "  \(Self.why(explanations[index]))" : ""
      let bar = Self.bar(rating)
      let row = "\(mark) \(Text.padded(pair.1, to: width))  \(number) "
      guard why.isEmpty else { return row + coloured(Text.padded(bar, to: Self.barColumns), rating) + why }
      return bar.isEmpty ? row.trimmedEnd : row + coloured(bar, rating)
    }
  }

  /// In eighths of a column.
  private static func bar(_ rating: Double) -> String {
    let eighths = Int((rating * Double(barColumns) * 8).rounded())
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }

  private func coloured(_ bar: String, _ rating: Double) -> String {
    guard isColoured else { return bar }
    let colour = rating < 1.0 / 3 ? 32 : rating < 2.0 / 3 ? 33 : 31
    return "\u{1B}[\(colour)m\(bar)\u{1B}[0m"
  }

  private static func why(_ explanation: RatingExplanation) -> String {
    var parts: [String] = []
    if let carbon = explanation.carbonIntensity { parts.append("\(Decimal.text(carbon, digits: 0)) g/kWh") }
    if let rank = explanation.referenceRank { parts.append("rank \(Decimal.text(rank, digits: 2))") }
    if let price = explanation.priceUSDPerKWh { parts.append("\(Decimal.text(price, digits: 3)) USD/kWh") }
    if explanation.isGridEvent { parts.append("grid event") }
    switch explanation.quality {
    case .measured, .forecast: break
    case .estimated: parts.append("estimated")
    case .climatology: parts.append("typical values")
    }
    return parts.joined(separator: ", ")
  }
}

/// Numbers with a fixed number of decimals.
enum Decimal {
  static func text(_ value: Double, digits: Int) -> String {
    guard value.isFinite, value.magnitude < 1e12 else { return value.description }
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((value.magnitude * Double(scale)).rounded())
    let sign = value < 0 && scaled != 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % scale)
    return "\(sign)\(scaled / scale)." + String(repeating: "0", count: digits - fraction.utf8.count) + fraction
  }
}

extension String {
  /// Without spaces at its end.
  fileprivate var trimmedEnd: String {
    guard let last = lastIndex(where: { $0 != " " }) else { return "" }
    return String(self[...last])
  }
}
