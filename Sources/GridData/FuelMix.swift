import EnergyModel
import LocalTime

/// Hourly generation by fuel of EIA-930, and the carbon intensity that follows from it (data/README.md).
struct FuelMix {
  /// The hours of one balancing authority, ascending by start.
  private let hours: [String: [Hour]]

  private struct Hour {
    let start: Timestamp
    /// MWh by fuel code; what is missing has no entry. Negative where storage charges or a station feeds itself.
    let generation: [String: Double]
  }

  /// Reads columns `period_utc` (the hour's END, `YYYY-MM-DDTHH`), `ba`, and one for each fuel code; others are
  /// ignored.
  init(_ text: String, source: String) throws(GridDataError) {
    let table = try CSVTable(text, source: source)
    let period = try table.column(named: "period_utc")
    let authority = try table.column(named: "ba")
    let fuels = table.columns.indices.filter { Self.isFuelCode(table.columns[$0]) }
    var reader = TimestampReader(clock: .utc)
    var hours: [String: [Timestamp: Hour]] = [:]
    for row in table.rows {
      let end: Timestamp
      do { end = try reader.read(row.fields[period]) } catch {
        throw GridDataError(source, line: row.line, field: "period_utc", error.reason)
      }
      var generation: [String: Double] = [:]
      for fuel in fuels {
        let name = table.columns[fuel]
        switch NumberText.read(row.fields[fuel]) {
        case .number(let value): generation[name] = value
        case .missing: break
        case .invalid: throw GridDataError(source, line: row.line, field: name, "is not a number")
        }
      }
      let hour = Hour(start: end.advanced(bySeconds: -3600), generation: generation)
      let earlier = hours[row.fields[authority], default: [:]].updateValue(hour, forKey: hour.start)
      guard earlier == nil || earlier?.generation == generation else {
        throw GridDataError(source, line: row.line, field: "period_utc", "is there twice with different values")
      }
    }
    self.hours = hours.mapValues { $0.values.sorted { $0.start < $1.start } }
  }

  /// Ascending.
  var authorities: [String] { hours.keys.sorted() }

  /// Life-cycle carbon intensity of the generation within the authority's area (no imports), gCO2eq/kWh, to one
  /// decimal; ascending, hours without it left out.
  ///
  /// An hour in which a fuel is missing that gave 5 % or more of the 24 hours before counts as missing: without it the
  /// mix would look cleaner, or dirtier, than it was.
  func carbonIntensity(of authority: String) -> [SignalPoint] {
    let hours = self.hours[authority, default: []]
    var recent: [Hour] = []
    var points: [SignalPoint] = []
    for hour in hours {
      recent.removeAll { $0.start <= hour.start.advanced(bySeconds: -24 * 3600 - 1) }
      let isComplete = Self.weightyFuels(recent).allSatisfy { hour.generation[$0] != nil }
      if isComplete, let intensity = EmissionFactors.intensity(of: hour.generation),
        let point = SignalPoint(
          interval: Interval(start: hour.start, milliseconds: 3_600_000), value: (intensity * 10).rounded() / 10,
          quality: .measured)
      {
        points.append(point)
      }
      recent.append(hour)
    }
    return points
  }

  /// The fuels that gave 5 % or more in these hours.
  private static func weightyFuels(_ hours: [Hour]) -> [String] {
    var sums: [String: Double] = [:]
    for (fuel, value) in hours.lazy.flatMap(\.generation) where !EmissionFactors.isStorage(fuel) {
      sums[fuel, default: 0] += max(0, value)
    }
    let total = sums.values.reduce(0, +)
    return sums.filter { $0.value > 0 && $0.value >= 0.05 * total }.map(\.key)
  }

  private static func isFuelCode(_ column: String) -> Bool {
    (2...3).contains(column.count) && column.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}

/// Life-cycle emissions of generation by EIA's fuel codes, kg CO2e/MWh, as published with the sample (data/README.md).
enum EmissionFactors {
  private static let factors: [String: Double] = [
    "COL": 1001, "GAS": 490, "NG": 490, "OIL": 840, "NUC": 13, "WAT": 20.5, "WND": 13, "SUN": 43.4, "SNB": 43.4,
    "GEO": 36.7, "BIO": 52, "OTH": 432.6, "UNK": 432.6,
  ]

  /// Batteries and pumped storage give back what was counted before.
  static func isStorage(_ fuel: String) -> Bool { fuel == "BAT" || fuel == "PS" }

  /// The mean over what was generated; negative generation counts as none, unknown codes as other fuels. `nil` where
  /// nothing was generated.
  static func intensity(of generation: [String: Double]) -> Double? {
    var emitted = 0.0
    var generated = 0.0
    for (fuel, value) in generation.sorted(by: { $0.key < $1.key }) where value > 0 && !isStorage(fuel) {
      emitted += value * (factors[fuel] ?? 432.6)
      generated += value
    }
    return generated > 0 ? emitted / generated : nil
  }
}
