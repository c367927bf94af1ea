package import EnergyModel

extension Timestamp {
  /// As RFC 3339 in UTC with milliseconds, for example `2026-11-30T23:07:22.123Z`. Beyond what
  /// google.protobuf.Timestamp holds: the nearest it can.
  package var rfc3339: String {
    let moment = min(max(self, .earliest), .latest)
    let seconds = moment.seconds
    let day = Timestamp(milliseconds: moment.milliseconds).floored(toMultipleOf: 86_400_000).seconds / 86_400
    let (year, month, dayOfMonth) = Self.date(day)
    let time = seconds - day * 86_400
    let clock = [time / 3600, time / 60 % 60, time % 60].map { Self.padded($0, 2) }.joined(separator: ":")
    let date = [Self.padded(year, 4), Self.padded(month, 2), Self.padded(dayOfMonth, 2)].joined(separator: "-")
    return "\(date)T\(clock).\(Self.padded(moment.milliseconds - seconds * 1000, 3))Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// The Gregorian date of a day counted from 1970-01-01. Counts in years that begin in March, so that the leap day is
  /// the last of its year.
  private static func date(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let daysPerEra: Int64 = 146_097  // 400 years
    let sinceYear0 = day + 719_468  // 0000-03-01 is day 0
    let era = (sinceYear0 >= 0 ? sinceYear0 : sinceYear0 - daysPerEra + 1) / daysPerEra
    let dayOfEra = sinceYear0 - era * daysPerEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}
