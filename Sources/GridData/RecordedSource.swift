package import EnergyModel
import LocalTime

/// Replays ten real days as if they were now (`--demo`): value(t) = sample[(t − 2023-06-10T00Z) mod 240 h].
/// The hours ahead are the forecast, those behind are measured; hours that the recording lacks stay missing.
package struct RecordedSource: GridDataSource {
  package let gridRegions: [String]
  private let recordings: [String: Recording]

  fileprivate struct Recording {
    /// By the hour since `recordingStart`; `nil` is missing.
    let values: [Double?]
    let climatology: Climatology?
  }

  /// What the recordings are called in explanations.
  package static let model = "eia930-lifecycle-2023"
  /// 2023-06-10T00:00:00Z
  fileprivate static let recordingStart = Timestamp(seconds: 1_686_355_200)
  private static let hourCount = 240
  fileprivate static let hour: Int64 = 3_600_000

  /// The regions whose recording the program carries.
  package init() throws(GridDataError) {
    try self.init(FuelMix(bundledFuelMix, source: "data/grid/eia930_fuel_mix.csv"))
  }

  init(_ mix: FuelMix) {
    var recordings: [String: Recording] = [:]
    for region in mix.authorities {
      let points = mix.carbonIntensity(of: region)
      let clock = LocalClock(timeZone: GridRegionZone.timeZone(ofRegion: region)) ?? .utc
      recordings[region] = Recording(
        values: Self.values(points),
        climatology: Climatology(
          key: Self.key(region), timeZone: clock.timeZone, hourlyMeans: clock.hourlyMeans(of: points)))
    }
    self.recordings = recordings
    self.gridRegions = recordings.keys.sorted()
  }

  private static func values(_ points: [SignalPoint]) -> [Double?] {
    var values = [Double?](repeating: nil, count: hourCount)
    for point in points {
      let offset = point.interval.start.milliseconds(since: recordingStart)
      guard offset >= 0, offset < Int64(hourCount) * hour else { continue }
      values[Int(offset / hour)] = point.value
    }
    return values
  }

  private static func key(_ region: String) -> SignalKey {
    SignalKey(gridRegion: region, kind: .carbonAverage, model: model)
  }

  package func snapshot(gridRegion: String, at now: Timestamp) -> GridSnapshot? {
    guard let recording = recordings[gridRegion] else { return nil }
    let present = now.floored(toMultipleOf: Self.hour)
    let past = present.advanced(byMilliseconds: -Self.historyMilliseconds)
    let key = Self.key(gridRegion)
    return GridSnapshot(
      forecast: GridSignal(
        key: key, isMeasured: false, issueTime: present,
        points: recording.points(from: present, hours: Self.horizonMilliseconds / Self.hour, quality: .forecast)),
      measured: measured(key, since: past, until: present),
      climatology: recording.climatology, nextRunTime: present.advanced(byMilliseconds: Self.hour))
  }

  /// `nil` for more than ten years at once, as for signals that are not recorded.
  package func measured(_ key: SignalKey, since: Timestamp, until: Timestamp) -> GridSignal? {
    let end = until.floored(toMultipleOf: Self.hour)
    let start = since.advanced(byMilliseconds: Self.hour - 1).floored(toMultipleOf: Self.hour)
    let hours = end.milliseconds(since: start) / Self.hour
    guard let recording = recordings[key.gridRegion], key == Self.key(key.gridRegion), (1...87_660).contains(hours)
    else { return nil }
    return GridSignal(
      key: key, isMeasured: true, issueTime: end,
      points: recording.points(from: start, hours: hours, quality: .measured))
  }

  /// Typical values of a region whose recording the program carries.
  package func climatology(gridRegion: String) -> Climatology? { recordings[gridRegion]?.climatology }
}

extension RecordedSource.Recording {
  /// - Parameter start: A full hour.
  fileprivate func points(from start: Timestamp, hours: Int64, quality: DataQuality) -> [SignalPoint] {
    (0..<hours).compactMap { index in
      let moment = start.advanced(byMilliseconds: index * RecordedSource.hour)
      let elapsed = moment.milliseconds(since: RecordedSource.recordingStart) / RecordedSource.hour
      let position = Int(elapsed % Int64(values.count))
      guard let value = values[position < 0 ? position + values.count : position] else { return nil }
      return SignalPoint(
        interval: Interval(start: moment, milliseconds: RecordedSource.hour), value: value, quality: quality)
    }
  }
}
