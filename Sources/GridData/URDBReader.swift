package import EnergyModel

/// A rate of the Utility Rate Database, and what its energy prices do not tell.
package struct URDBRate: Hashable, Sendable {
  package let plan: RatePlan
  /// In the order of the cases.
  package let warnings: [Warning]

  package enum Warning: Hashable, Sendable, CustomStringConvertible {
    /// The plan also charges for demand, so that the energy price alone misleads.
    case demandCharges
    /// Prices rise or fall with the month's use; the first tier is taken, since the use is not known.
    case tiers(periodCount: Int)
    /// The first tier is not priced by the kWh alone.
    case unit(String)
    /// The rate no longer applies.
    case ended(Timestamp)

    package var description: String {
      switch self {
      case .demandCharges: "demand charges are not taken into account"
      case .tiers(let count): "\(count) periods have tiers; the first is taken"
      case .unit(let unit): "prices are per \(unit); they are taken as per kWh"
      case .ended(let end): "the rate ended \(end.milliseconds / 1000) s after 1970"
      }
    }
  }
}

/// Reads rates of OpenEI's Utility Rate Database: one object, an array of them, or the API's {"items": […]}.
package enum URDBReader {
  private static let maximumPeriodCount = 1000
  /// USD/kWh
  private static let greatestPrice = 100.0

  /// - Parameters:
  ///   - source: Names the text in errors.
  ///   - id: The plan's id here; the rate's label where it is not given. Only for a text that holds one rate.
  ///   - now: To tell which rates have ended.
  package static func read(
    _ text: String, source: String, id: String? = nil, now: Timestamp
  ) throws(GridDataError) -> [URDBRate] {
    let document = try JSONValue(parsing: text, source: source)
    let rates = try rates(document, source: source)
    guard !rates.isEmpty else { throw GridDataError(source, "holds no rate") }
    guard id == nil || rates.count == 1 else {
      throw GridDataError(source, "holds \(rates.count) rates, which cannot all be named \(id ?? "")")
    }
    var result: [URDBRate] = []
    for (path, rate) in rates {
      let parser = try RateParser(rate, path: path, source: source)
      result.append(try parser.rate(id: id, now: now))
    }
    return result
  }

  private static func rates(
    _ document: JSONValue, source: String
  ) throws(GridDataError) -> [(path: String, rate: JSONValue)] {
    switch document {
    case .array(let rates): return rates.enumerated().map { ("[\($0)]", $1) }
    case .object(let object):
      guard let items = object["items"] else { return [("", document)] }
      return try JSONReader(source: source).array(items, at: "items").enumerated().map { ("items[\($0)]", $1) }
    case .null, .bool, .number, .text: throw GridDataError(source, "is neither a rate nor a list of rates")
    }
  }

  private struct RateParser {
    private let fields: [String: JSONValue]
    private let path: String
    private let reader: JSONReader

    init(_ rate: JSONValue, path: String, source: String) throws(GridDataError) {
      reader = JSONReader(source: source)
      fields = try reader.object(rate, at: path.isEmpty ? "rate" : path)
      self.path = path
    }

    private func place(_ field: String) -> String { path.isEmpty ? field : "\(path).\(field)" }

    private func fault(_ field: String, _ reason: String) -> GridDataError {
      GridDataError(reader.source, field: place(field), reason)
    }

    func rate(id: String?, now: Timestamp) throws(GridDataError) -> URDBRate {
      let label = try text("label")
      guard let id = id ?? label, !id.isEmpty else { throw fault("label", "is missing") }
      let name = try text("name")
      let utility = try text("utility")
      let periods = try periods()
      let end = try moment("enddate")
      let weekday = try schedule("energyweekdayschedule", periodCount: periods.count)
      let weekend = try schedule("energyweekendschedule", periodCount: periods.count)
      let plan = RatePlan(
        id: id, name: name ?? id, utility: utility ?? "",
        periodPricesUSDPerKWh: periods.map(\.price), weekdaySchedule: weekday, weekendSchedule: weekend,
        startTime: try moment("startdate"), endTime: end)
      guard let plan else { throw fault("energyratestructure", "does not make a plan") }
      return URDBRate(plan: plan, warnings: warnings(periods, end: end, now: now))
    }

    private func text(_ field: String) throws(GridDataError) -> String? {
      try reader.text(fields[field], at: place(field))
    }

    private struct Period {
      let price: Double
      let tierCount: Int
      let unit: String
    }

    private func periods() throws(GridDataError) -> [Period] {
      let field = "energyratestructure"
      let structure = try reader.array(fields[field], at: place(field))
      guard (1...URDBReader.maximumPeriodCount).contains(structure.count) else {
        throw fault(field, "has \(structure.count) periods; 1...\(URDBReader.maximumPeriodCount) are expected")
      }
      var periods: [Period] = []
      for (index, period) in structure.enumerated() {
        periods.append(try self.period(period, field: "\(field)[\(index)]"))
      }
      return periods
    }

    /// The first tier's: the one that applies depends on the month's use, which is not known.
    private func period(_ period: JSONValue, field: String) throws(GridDataError) -> Period {
      let tiers = try reader.array(period, at: place(field))
      guard let first = tiers.first else { throw fault(field, "has no tier") }
      let tier = try reader.object(first, at: place("\(field)[0]"))
      let rate = try reader.number(tier["rate"], at: place("\(field)[0].rate"))
      let adjustment = try reader.number(tier["adj"], at: place("\(field)[0].adj"))
      guard rate != nil || adjustment != nil else { throw fault("\(field)[0].rate", "is missing") }
      let price = (rate ?? 0) + (adjustment ?? 0)
      guard price.isFinite, abs(price) <= URDBReader.greatestPrice else {
        throw fault("\(field)[0].rate", "is beyond \(Int(URDBReader.greatestPrice)) USD/kWh")
      }
      let unit = try reader.text(tier["unit"], at: place("\(field)[0].unit"))
      return Period(price: price, tierCount: tiers.count, unit: unit ?? "kWh")
    }

    /// 12 x 24 period numbers, which may be written as floating point.
    private func schedule(_ field: String, periodCount: Int) throws(GridDataError) -> [[Int]] {
      let months = try reader.array(fields[field], at: place(field))
      guard months.count == 12 else { throw fault(field, "has \(months.count) months, not 12") }
      var schedule: [[Int]] = []
      for (month, hours) in months.enumerated() {
        let hours = try reader.array(hours, at: place("\(field)[\(month)]"))
        guard hours.count == 24 else { throw fault("\(field)[\(month)]", "has \(hours.count) hours, not 24") }
        var row: [Int] = []
        for (hour, cell) in hours.enumerated() {
          let here = "\(field)[\(month)][\(hour)]"
          guard let number = try reader.number(cell, at: place(here)) else { throw fault(here, "is missing") }
          guard let period = Int(exactly: number), (0..<periodCount).contains(period) else {
            throw fault(here, "is \(number), not one of the periods 0...\(periodCount - 1)")
          }
          row.append(period)
        }
        schedule.append(row)
      }
      return schedule
    }

    /// Seconds since 1970, whole or not.
    private func moment(_ field: String) throws(GridDataError) -> Timestamp? {
      guard let seconds = try reader.number(fields[field], at: place(field)) else { return nil }
      let moment = Int64(exactly: seconds.rounded(.down)).map(Timestamp.init(seconds:))
      guard let moment, abs(seconds) < 1e12, Timestamp.earliest <= moment, moment <= Timestamp.latest else {
        throw fault(field, "is not a time in seconds since 1970")
      }
      return moment
    }

    private func warnings(_ periods: [Period], end: Timestamp?, now: Timestamp) -> [URDBRate.Warning] {
      var warnings: [URDBRate.Warning] = []
      if ["demandratestructure", "flatdemandstructure", "coincidentratestructure"].contains(where: hasContent) {
        warnings.append(.demandCharges)
      }
      let tiered = periods.count { $0.tierCount > 1 }
      if tiered > 0 { warnings.append(.tiers(periodCount: tiered)) }
      if let unit = periods.map(\.unit).first(where: { $0.lowercased() != "kwh" }) { warnings.append(.unit(unit)) }
      if let end, end <= now { warnings.append(.ended(end)) }
      return warnings
    }

    private func hasContent(_ field: String) -> Bool {
      guard case .array(let content) = fields[field] else { return false }
      return !content.isEmpty
    }
  }
}
