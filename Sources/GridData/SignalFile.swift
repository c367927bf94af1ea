package import EnergyModel
import Foundation
import LocalTime

/// A file of values with a manifest beside it: `prices.csv` and `prices.csv.json` (data/README.md).
package struct SignalFile: Hashable, Sendable {
  package let key: SignalKey
  package let issueTime: Timestamp
  /// Ascending, no overlaps; what is missing in the file is missing here.
  package let points: [SignalPoint]
  /// Rows without a value, and values that no carbon signal can have: negative ones.
  package let missingCount: Int

  static let maximumPointCount = 100_000
  private static let maximumByteCount = 32 * 1024 * 1024

  /// Reads both files.
  package init(path: String) throws(GridDataError) {
    let manifestPath = path + ".json"
    let manifest = try SignalManifest(
      json: JSONValue(parsing: Self.text(manifestPath), source: manifestPath), source: manifestPath)
    try self.init(Self.text(path), source: path, manifest: manifest, changeTime: Self.changeTime(path))
  }

  /// - Parameter changeTime: When the file was written; the time of issue where the manifest has none.
  init(
    _ text: String, source: String, manifest: SignalManifest, changeTime: Timestamp,
    maximumPointCount: Int = maximumPointCount
  ) throws(GridDataError) {
    let table = try CSVTable(text, source: source)
    var rows = try SignalRows(table, manifest: manifest)
    let points = try rows.points(maximumCount: maximumPointCount)
    self.key = manifest.key
    self.issueTime = manifest.issueTime ?? changeTime
    self.points = points
    self.missingCount = rows.missingCount
  }

  /// The file as publications of one moment: what is over by then counts as measured, the rest as the forecast.
  package func publications(at now: Timestamp) -> [GridSignal] {
    let past = points.filter { $0.interval.end <= now }
    let ahead = points.filter { $0.interval.end > now }.compactMap {
      SignalPoint(interval: $0.interval, value: $0.value, quality: .forecast)
    }
    return [
      GridSignal(key: key, isMeasured: true, issueTime: issueTime, points: past),
      GridSignal(key: key, isMeasured: false, issueTime: issueTime, points: ahead),
    ].filter { !$0.points.isEmpty }
  }

  private static func text(_ path: String) throws(GridDataError) -> String {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let attributes else { throw GridDataError(path, "cannot be read: no such file") }
    guard let size = (attributes[.size] as? NSNumber)?.intValue, size <= maximumByteCount else {
      throw GridDataError(path, "is larger than \(maximumByteCount) bytes")
    }
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw GridDataError(path, "cannot be read: \(error.localizedDescription)")
    }
    guard data.count <= maximumByteCount, let text = String(validating: data, as: UTF8.self) else {
      throw GridDataError(path, "is not UTF-8 text")
    }
    return text
  }

  private static func changeTime(_ path: String) -> Timestamp {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let date = attributes?[.modificationDate] as? Date
    return Timestamp(seconds: Int64(date?.timeIntervalSince1970 ?? 0))
  }
}

/// Files as a source: the newest run of each region, and all that is over.
package struct FileSource: GridDataSource {
  private let files: [String: [SignalFile]]

  package init(_ files: [SignalFile]) {
    self.files = Dictionary(grouping: files.filter { $0.key.kind != .price }, by: \.key.gridRegion)
  }

  package var gridRegions: [String] { files.keys.sorted() }

  package func snapshot(gridRegion: String, at now: Timestamp) -> GridSnapshot? {
    guard let files = files[gridRegion] else { return nil }
    return PublishedSignals(files.flatMap { $0.publications(at: now) }).snapshot(gridRegion: gridRegion, at: now)
  }

  package func measured(_ key: SignalKey, since: Timestamp, until: Timestamp) -> GridSignal? {
    let signals = files[key.gridRegion, default: []].flatMap { $0.publications(at: until) }
    return PublishedSignals(signals).measured(key, since: since, until: until)
  }
}
