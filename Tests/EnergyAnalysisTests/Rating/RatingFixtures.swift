import EnergyAnalysis
import EnergyModel
import LocalTime
import Testing

let hour: Int64 = 3_600_000
let minute: Int64 = 60_000

/// A moment in UTC.
func utc(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0) -> Timestamp {
  guard let date = CivilDate(year: year, month: month, day: day),
    let time = CivilTime(date: date, hour: hour, minute: minute)
  else {
    Issue.record("no such time")
    return .earliest
  }
  return Timestamp(seconds: Int64(time.secondsSince1970))
}

/// Consecutive points; `nil` leaves a gap.
func points(
  _ values: [Double?], from start: Timestamp, step: Int64 = hour, quality: DataQuality = .forecast
) -> [SignalPoint] {
  values.enumerated().compactMap { index, value in
    value.flatMap {
      SignalPoint(
        interval: Interval(start: start.advanced(byMilliseconds: Int64(index) * step), milliseconds: step), value: $0,
        quality: quality)
    }
  }
}

let testKey = SignalKey(gridRegion: "TEST", kind: .carbonAverage, model: "test-1")

func forecast(
  _ values: [Double?], from start: Timestamp, step: Int64 = hour, issued: Timestamp? = nil, key: SignalKey = testKey
) -> GridSignal {
  GridSignal(
    key: key, isMeasured: false, issueTime: issued ?? start, points: points(values, from: start, step: step))
}

/// Values that end where the horizon starts.
func measured(_ values: [Double?], until end: Timestamp, step: Int64 = hour, key: SignalKey = testKey) -> GridSignal {
  let start = end.advanced(byMilliseconds: -Int64(values.count) * step)
  return GridSignal(
    key: key, isMeasured: true, issueTime: end,
    points: points(values, from: start, step: step, quality: .measured))
}

/// An input in a region of its operator's own, whose day is UTC's.
func input(
  _ action: SuggestedAction = .shift, forecast: GridSignal?, measured: GridSignal?, now: Timestamp,
  climatology: Climatology? = nil, tariff: Tariff? = nil, events: [Interval] = [], region: String = "TEST",
  settings: RatingSettings = .standard
) -> RatingInput {
  RatingInput(
    gridRegion: region, action: action, now: now, forecast: forecast, measured: measured, climatology: climatology,
    tariff: tariff, events: events, settings: settings)
}

/// Which price applies in each of 24 hours, the same in all months and on all days.
func plan(_ hours: [Double], start: Timestamp? = nil, end: Timestamp? = nil) throws -> RatePlan {
  let prices = Set(hours).sorted()
  let row = hours.map { prices.firstIndex(of: $0) ?? 0 }
  let table = [[Int]](repeating: row, count: 12)
  return try #require(
    RatePlan(
      id: "plan", name: "Plan", utility: "Utility", periodPricesUSDPerKWh: prices, weekdaySchedule: table,
      weekendSchedule: table, startTime: start, endTime: end))
}

/// PG&E EV2-A in summer: 0.34578, from 15 h 0.54779, from 16 h 0.65828, from 21 h 0.54779.
let summerEV2A: [Double] =
  [Double](repeating: 0.34578, count: 15) + [0.54779] + [Double](repeating: 0.65828, count: 5)
  + [Double](repeating: 0.54779, count: 3)

/// Small, fast, and the same on every machine: a failing seed is the bug report.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
