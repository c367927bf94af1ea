import EnergyModel
import Foundation
import LocalTime
import Testing

let hour: Int64 = 3_600_000

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

/// A file of the repository.
func shippedFile(_ path: String) throws -> String {
  let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
}

func points(_ values: [Double?], from start: Timestamp, quality: DataQuality = .measured) -> [SignalPoint] {
  values.enumerated().compactMap { index, value in
    value.flatMap {
      SignalPoint(
        interval: Interval(start: start.advanced(byMilliseconds: Int64(index) * hour), milliseconds: hour), value: $0,
        quality: quality)
    }
  }
}
