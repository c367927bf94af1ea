package import EnergyModel
package import GridData
import Locking

/// A source whose values depend on the hour of the day alone, 200...430 gCO2eq/kWh, dirtiest before midnight UTC; reaches
/// 48 h ahead and 29 days back.
package final class TestSource: GridDataSource {
  package static let model = "test-2025"
  private let isRunning = Lock(true)
  private let addition = Lock(0.0)

  package init() {}

  /// From now on it knows nothing.
  package func stop() { isRunning.withLock { $0 = false } }
  /// From now on its forecasts are that much dirtier.
  package func add(_ value: Double) { addition.withLock { $0 = value } }

  package var gridRegions: [String] { ["CISO", "MISO"] }

  package func snapshot(gridRegion: String, at now: Timestamp) -> GridSnapshot? {
    guard isRunning.withLock({ $0 }), gridRegions.contains(gridRegion) else { return nil }
    let hour = now.floored(toMultipleOf: 3_600_000)
    let added = addition.withLock { $0 }
    let key = SignalKey(gridRegion: gridRegion, kind: .carbonAverage, model: Self.model)
    return GridSnapshot(
      forecast: GridSignal(
        key: key, isMeasured: false, issueTime: hour,
        points: hourlyPoints(from: hour, count: 48, quality: .forecast) { typicalCarbon($0) + added }),
      measured: measured(key, since: hour.advanced(bySeconds: -29 * 86_400), until: hour),
      climatology: nil, nextRunTime: hour.advanced(bySeconds: 3_600))
  }

  package func measured(_ key: SignalKey, since: Timestamp, until: Timestamp) -> GridSignal? {
    guard isRunning.withLock({ $0 }), key.model == Self.model else { return nil }
    let start = since.floored(toMultipleOf: 3_600_000)
    let hours = Int(until.milliseconds(since: start) / 3_600_000)
    let points = hourlyPoints(from: start, count: hours, quality: .measured, typicalCarbon)
    return GridSignal(
      key: key, isMeasured: true, issueTime: until, points: points.filter { $0.interval.start >= since })
  }
}

/// gCO2eq/kWh in the hour that begins at `start`.
package func typicalCarbon(_ start: Timestamp) -> Double { 200 + 10 * Double(start.seconds / 3_600 % 24) }

package func hourlyPoints(
  from start: Timestamp, count: Int, quality: DataQuality, _ value: (Timestamp) -> Double
) -> [SignalPoint] {
  (0..<count).compactMap { index in
    let moment = start.advanced(bySeconds: Int64(index) * 3_600)
    return SignalPoint(
      interval: Interval(start: moment, milliseconds: 3_600_000), value: value(moment), quality: quality)
  }
}

/// A forecast as an operator would publish it.
package func makeRun(
  model: String = "operator-1", issued: Timestamp, from start: Timestamp? = nil, hours: Int = 24,
  region: String = "CISO", _ value: (Timestamp) -> Double
) -> GridSignal {
  let first = (start ?? issued).floored(toMultipleOf: 3_600_000)
  return GridSignal(
    key: SignalKey(gridRegion: region, kind: .carbonAverage, model: model), isMeasured: false, issueTime: issued,
    points: hourlyPoints(from: first, count: hours, quality: .forecast, value))
}

/// Cheap at night, dear from 16 to 21 o'clock.
package func makePlan(_ id: String = "tou", peak: Double = 0.6) -> RatePlan? {
  let day = (0..<24).map { (16..<21).contains($0) ? 1 : 0 }
  let table = [[Int]](repeating: day, count: 12)
  return RatePlan(
    id: id, name: id, utility: "test", periodPricesUSDPerKWh: [0.2, peak], weekdaySchedule: table,
    weekendSchedule: table, startTime: nil, endTime: nil)
}
