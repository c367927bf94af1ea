/// A day of the proleptic Gregorian calendar, without a zone.
package struct CivilDate: Hashable, Sendable {
  package let year: Int
  /// 1...12
  package let month: Int
  /// 1...31
  package let day: Int

  /// Returns `nil` for days that do not exist, and for years outside 1...9999.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...Self.dayCount(year: year, month: month)).contains(day)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// The date that lies `days` after 1970-01-01 (before it, where negative). Any number is accepted; years outside
  /// 1...9999 then appear as they are.
  package init(daysSince1970 days: Int) {
    // Counts from 0000-03-01, so that the leap day is the last of its year; 146,097 days are 400 years.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  package var daysSince1970: Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Saturday or Sunday.
  package var isWeekend: Bool {
    let daysSinceThursday = daysSince1970 % 7  // 1970-01-01 was one
    let weekday = daysSinceThursday < 0 ? daysSinceThursday + 7 : daysSinceThursday
    return weekday == 2 || weekday == 3
  }

  private static func dayCount(year: Int, month: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// What a clock on the wall shows, without its zone.
package struct CivilTime: Hashable, Sendable {
  package let date: CivilDate
  /// 0...23
  package let hour: Int
  /// 0...59
  package let minute: Int
  /// 0...59
  package let second: Int

  /// Returns `nil` outside the ranges above.
  package init?(date: CivilDate, hour: Int, minute: Int = 0, second: Int = 0) {
    guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second) else { return nil }
    self.date = date
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// Any number is accepted, as in `CivilDate.init(daysSince1970:)`.
  package init(secondsSince1970 seconds: Int) {
    let remainder = seconds % 86_400
    let secondOfDay = remainder < 0 ? remainder + 86_400 : remainder
    date = CivilDate(daysSince1970: (seconds - secondOfDay) / 86_400)
    hour = secondOfDay / 3600
    minute = secondOfDay / 60 % 60
    second = secondOfDay % 60
  }

  /// As if the clock showed UTC.
  package var secondsSince1970: Int { date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second }
}
