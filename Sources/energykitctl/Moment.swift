import EnergyModel
import EnergyWire
import LocalTime

/// A point in time as people write it.
enum Moment {
  /// `now`, `18:00` (the next one on the clock of the venue after `reference`), `2026-11-30T18:00` on that clock, or RFC
  /// 3339 with a zone. `nil` for anything else.
  static func parse(_ text: String, after reference: Timestamp, clock: LocalClock) -> Timestamp? {
    if text == "now" { return reference }
    if let moment = Timestamp(rfc3339: text) { return moment }
    let bytes = Array(text.utf8)
    if bytes.count == 5 { return nextTime(bytes, after: reference, clock) }
    guard bytes.count == 16, bytes[10] == UInt8(ascii: "T"), bytes[4] == UInt8(ascii: "-"),
      bytes[7] == UInt8(ascii: "-"), let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]), let date = CivilDate(year: year, month: month, day: day),
      let (hour, minute) = hourAndMinute(Array(bytes[11...])),
      let time = CivilTime(date: date, hour: hour, minute: minute)
    else { return nil }
    return clock.moments(of: time).first
  }

  private static func nextTime(_ bytes: [UInt8], after reference: Timestamp, _ clock: LocalClock) -> Timestamp? {
    guard let (hour, minute) = hourAndMinute(bytes) else { return nil }
    let today = clock.time(at: reference).date.daysSince1970
    // The day after tomorrow too, where tomorrow's clock skips that time.
    for day in 0...2 {
      let date = CivilDate(daysSince1970: today + day)
      guard let time = CivilTime(date: date, hour: hour, minute: minute) else { return nil }
      if let moment = clock.moments(of: time).first(where: { $0 > reference }) { return moment }
    }
    return nil
  }

  private static func hourAndMinute(_ bytes: [UInt8]) -> (Int, Int)? {
    guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"), let hour = number(bytes[0..<2]),
      let minute = number(bytes[3..<5])
    else { return nil }
    return (hour, minute)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}

extension LocalClock {
  /// `Mon 16:00`.
  func weekdayAndTime(_ moment: Timestamp) -> String {
    let time = time(at: moment)
    return "\(Self.weekdays[time.date.weekday]) \(Self.two(time.hour)):\(Self.two(time.minute))"
  }

  /// `2026-11-30 16:00`.
  func dateAndTime(_ moment: Timestamp) -> String {
    let time = time(at: moment)
    let date = "\(time.date.year)-\(Self.two(time.date.month))-\(Self.two(time.date.day))"
    return "\(date) \(Self.two(time.hour)):\(Self.two(time.minute))"
  }

  /// `Mon 16:00 - 17:00`, and the second day's name only where it is neither the same nor its midnight.
  func span(_ interval: Interval) -> String {
    let start = time(at: interval.start)
    let end = time(at: interval.end)
    let endsSoon =
      start.date == end.date
      || (end.hour == 0 && end.minute == 0 && end.date.daysSince1970 == start.date.daysSince1970 + 1)
    let last = endsSoon ? "\(Self.two(end.hour)):\(Self.two(end.minute))" : weekdayAndTime(interval.end)
    return "\(weekdayAndTime(interval.start)) - \(last)"
  }

  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension CivilDate {
  /// 0 is Monday.
  fileprivate var weekday: Int { ((daysSince1970 + 3) % 7 + 7) % 7 }
}
