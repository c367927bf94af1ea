import EnergyModel
import Foundation
import LocalTime

/// What a file of values means: region, kind, model, unit, and how its stamps are to be read (data/README.md).
struct SignalManifest {
  let key: SignalKey
  let unit: SignalUnit
  let stampsEnd: Bool
  /// For stamps without an offset.
  let clock: LocalClock?
  /// The length of each value; the least difference of stamps where it is not said.
  let stepMilliseconds: Int64?
  /// When the run was issued; the file's own time where it is not said.
  let issueTime: Timestamp?
  let timeColumn: String?
  let valueColumn: String?
  /// Where given, rows of other regions are left out.
  let regionColumn: String?

  /// What may stand in the JSON; anything else is refused, so that a misspelt key is noticed.
  private enum Field: String, CaseIterable {
    case format, region, kind, model, unit, stamps, zone
    case stepSeconds = "step_seconds"
    case issueTime = "issue_time"
    case timeColumn = "time_column"
    case valueColumn = "value_column"
    case regionColumn = "region_column"
  }

  init(json: JSONValue, source: String) throws(GridDataError) {
    let reader = JSONReader(source: source)
    let fields = try reader.object(json, at: "manifest")
    if let unknown = fields.keys.sorted().first(where: { Field(rawValue: $0) == nil }) {
      throw GridDataError(source, field: unknown, "is not a key of a manifest")
    }
    let optional = { (field: Field) throws(GridDataError) -> String? in
      try reader.text(fields[field.rawValue], at: field.rawValue)
    }
    let required = { (field: Field) throws(GridDataError) -> String in
      guard let text = try optional(field), !text.isEmpty else {
        throw GridDataError(source, field: field.rawValue, "is missing")
      }
      return text
    }
    if let format = try optional(.format), format != "csv" {
      throw GridDataError(source, field: Field.format.rawValue, "is \(format); csv is known")
    }
    let kind = try Self.kind(required(.kind), source: source)
    key = SignalKey(gridRegion: try required(.region), kind: kind, model: try required(.model))
    unit = try Self.unit(required(.unit), kind: kind, source: source)
    stampsEnd = try Self.stampsEnd(required(.stamps), source: source)
    clock = try optional(.zone).map { (name) throws(GridDataError) in try Self.clock(name, source: source) }
    stepMilliseconds = try reader.number(fields[Field.stepSeconds.rawValue], at: Field.stepSeconds.rawValue).map {
      (seconds) throws(GridDataError) in try Self.step(seconds, source: source)
    }
    issueTime = try optional(.issueTime).map { (text) throws(GridDataError) in try Self.moment(text, source: source) }
    timeColumn = try optional(.timeColumn)
    valueColumn = try optional(.valueColumn)
    regionColumn = try optional(.regionColumn)
  }

  private static func kind(_ text: String, source: String) throws(GridDataError) -> SignalKind {
    switch text {
    case "carbon_average": return .carbonAverage
    case "carbon_marginal": return .carbonMarginal
    case "price": return .price
    default:
      throw GridDataError(source, field: "kind", "is \(text); carbon_average, carbon_marginal and price are known")
    }
  }

  private static func unit(_ text: String, kind: SignalKind, source: String) throws(GridDataError) -> SignalUnit {
    guard let unit = SignalUnit(rawValue: text), unit.suits(kind) else {
      let known = SignalUnit.allCases.filter { $0.suits(kind) }.map(\.rawValue).joined(separator: ", ")
      throw GridDataError(source, field: "unit", "is \(text); known for this kind are \(known)")
    }
    return unit
  }

  private static func stampsEnd(_ text: String, source: String) throws(GridDataError) -> Bool {
    switch text {
    case "beginning": return false
    case "ending": return true
    default: throw GridDataError(source, field: "stamps", "is \(text); beginning and ending are known")
    }
  }

  private static func clock(_ name: String, source: String) throws(GridDataError) -> LocalClock {
    guard let clock = LocalClock(timeZone: name) else {
      throw GridDataError(source, field: "zone", "\(name) is not a zone of the IANA database")
    }
    return clock
  }

  private static func step(_ seconds: Double, source: String) throws(GridDataError) -> Int64 {
    guard (60...86_400).contains(seconds), seconds == seconds.rounded() else {
      throw GridDataError(source, field: "step_seconds", "is not a whole number of 60...86400")
    }
    return Int64(seconds) * 1000
  }

  private static func moment(_ text: String, source: String) throws(GridDataError) -> Timestamp {
    var reader = TimestampReader(clock: nil)
    do { return try reader.read(text) } catch {
      throw GridDataError(source, field: "issue_time", error.reason)
    }
  }
}
