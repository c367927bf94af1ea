import EnergyModel

/// The rows of a file of values, on the way to points (data/README.md).
struct SignalRows {
  private let table: CSVTable
  private let manifest: SignalManifest
  private let time: Int
  private let end: Int?
  private let value: Int
  private let region: Int?
  private(set) var missingCount = 0

  init(_ table: CSVTable, manifest: SignalManifest) throws(GridDataError) {
    self.table = table
    self.manifest = manifest
    time = try Self.column(
      manifest.timeColumn, ["timestamp", "time", "datetime", "start", "period"], "time", in: table)
    value = try Self.column(manifest.valueColumn, ["value", "price", "intensity"], "value", in: table)
    end = manifest.stampsEnd ? nil : table.column(["end"])
    region = try manifest.regionColumn.map { (name) throws(GridDataError) in try table.column(named: name) }
  }

  private static func column(
    _ name: String?, _ usual: [String], _ purpose: String, in table: CSVTable
  ) throws(GridDataError) -> Int {
    if let name { return try table.column(named: name) }
    guard let position = table.column(usual) else {
      throw GridDataError(
        table.source, line: 1, "no \(purpose) column: one of \(usual.joined(separator: ", ")) is expected")
    }
    return position
  }

  private struct Reading {
    let line: Int
    let stamp: Timestamp
    let end: Timestamp?
    /// In our unit.
    let value: Double?
  }

  /// Ascending. Equal duplicates are dropped, unequal ones refused; every stamp counts for the step, also where its
  /// value is missing.
  mutating func points(maximumCount: Int) throws(GridDataError) -> [SignalPoint] {
    let readings = try distinct(read())
    guard readings.count <= maximumCount else {
      throw GridDataError(table.source, "has more than \(maximumCount) values")
    }
    let step = try stepMilliseconds(readings)
    var points: [SignalPoint] = []
    for reading in readings {
      let interval = try interval(reading, step: step)
      if let last = points.last, interval.start < last.interval.end {
        throw GridDataError(table.source, line: reading.line, "overlaps the value before it")
      }
      guard let value = reading.value, manifest.key.kind == .price || value >= 0,
        let point = SignalPoint(interval: interval, value: value, quality: .measured)
      else {
        missingCount += 1
        continue
      }
      points.append(point)
    }
    guard !points.isEmpty else { throw GridDataError(table.source, "has no values") }
    return points
  }

  private func read() throws(GridDataError) -> [Reading] {
    var stamps = TimestampReader(clock: manifest.clock)
    var ends = TimestampReader(clock: manifest.clock)
    var readings: [Reading] = []
    for row in table.rows {
      if let region, row.fields[region] != manifest.key.gridRegion { continue }
      let stamp = try Self.moment(row, time, &stamps, in: table)
      let end = try end.map { (column) throws(GridDataError) in try Self.moment(row, column, &ends, in: table) }
      readings.append(Reading(line: row.line, stamp: stamp, end: end, value: try number(row)))
    }
    return readings
  }

  private static func moment(
    _ row: CSVTable.Row, _ column: Int, _ reader: inout TimestampReader, in table: CSVTable
  ) throws(GridDataError) -> Timestamp {
    do { return try reader.read(row.fields[column]) } catch {
      throw GridDataError(
        table.source, line: row.line, field: table.columns[column], "\(row.fields[column]) \(error.reason)")
    }
  }

  private func number(_ row: CSVTable.Row) throws(GridDataError) -> Double? {
    let field = table.columns[value]
    switch NumberText.read(row.fields[value]) {
    case .missing: return nil
    case .invalid:
      throw GridDataError(table.source, line: row.line, field: field, "\(row.fields[value]) is not a number")
    case .number(let number):
      let converted = number * manifest.unit.factor
      guard abs(converted) <= manifest.key.kind.greatestMagnitude else {
        throw GridDataError(
          table.source, line: row.line, field: field,
          "\(row.fields[value]) \(manifest.unit.rawValue) is beyond any grid")
      }
      return converted
    }
  }

  private func distinct(_ readings: [Reading]) throws(GridDataError) -> [Reading] {
    var result: [Reading] = []
    for reading in readings.sorted(by: { ($0.stamp, $0.line) < ($1.stamp, $1.line) }) {
      guard let last = result.last, last.stamp == reading.stamp else {
        result.append(reading)
        continue
      }
      guard last.value == reading.value, last.end == reading.end else {
        throw GridDataError(table.source, line: reading.line, "has another value for the time of line \(last.line)")
      }
    }
    return result
  }

  /// The manifest's, else the least difference between stamps.
  private func stepMilliseconds(_ readings: [Reading]) throws(GridDataError) -> Int64 {
    if let step = manifest.stepMilliseconds { return step }
    let differences = zip(readings, readings.dropFirst()).map { $1.stamp.milliseconds(since: $0.stamp) }
    guard let least = differences.min() else {
      guard readings.allSatisfy({ $0.end != nil }) else {
        throw GridDataError(table.source, "has too few rows to tell their step; the manifest may say step_seconds")
      }
      return 0
    }
    return least
  }

  private func interval(_ reading: Reading, step: Int64) throws(GridDataError) -> Interval {
    if manifest.stampsEnd {
      return Interval(start: reading.stamp.advanced(byMilliseconds: -step), milliseconds: step)
    }
    guard let end = reading.end else { return Interval(start: reading.stamp, milliseconds: step) }
    guard end > reading.stamp, let interval = Interval(start: reading.stamp, end: end) else {
      throw GridDataError(table.source, line: reading.line, field: "end", "is not after the start")
    }
    return interval
  }
}
