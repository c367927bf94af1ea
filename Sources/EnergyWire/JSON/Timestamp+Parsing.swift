package import EnergyModel

extension Timestamp {
  /// Reads RFC 3339, with `Z` or an offset, cut to the millisecond; `nil` for everything else, leap seconds among it.
  package init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    // 2026-11-30T23:07:22 and a zone.
    guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[10] | 0x20 == UInt8(ascii: "t"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
      let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]), let day = Self.number(bytes[8..<10]),
      let hour = Self.number(bytes[11..<13]), let minute = Self.number(bytes[14..<16]),
      let second = Self.number(bytes[17..<19]),
      hour < 24, minute < 60, second < 60, let days = Self.days(year, month, day)
    else { return nil }
    var rest = bytes[19...]
    guard let milliseconds = Self.takeFraction(&rest), let offset = Self.offsetSeconds(Array(rest)) else { return nil }
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    self.init(milliseconds: seconds * 1000 + milliseconds)
    guard self >= .earliest, self <= .latest else { return nil }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  private static func takeFraction(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    guard rest.first == UInt8(ascii: ".") else { return 0 }
    let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
    guard (1...9).contains(digits.count) else { return nil }
    rest = rest.dropFirst(1 + digits.count)
    return number((Array(digits) + [0x30, 0x30])[0..<3])
  }

  private static func offsetSeconds(_ text: [UInt8]) -> Int64? {
    if text == [UInt8(ascii: "Z")] || text == [UInt8(ascii: "z")] { return 0 }
    guard text.count == 6, text[3] == UInt8(ascii: ":"), text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"),
      let hours = number(text[1..<3]), let minutes = number(text[4..<6]), hours < 24, minutes < 60
    else { return nil }
    return (hours * 3600 + minutes * 60) * (text[0] == UInt8(ascii: "-") ? -1 : 1)
  }

  /// From 1970-01-01 to a day of the Gregorian calendar. Counts in years that begin in March, so that the leap day is the
  /// last of its year.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard year >= 1, (1...12).contains(month), day >= 1, day <= lengths[Int(month) - 1] else { return nil }
    let marchYear = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
  }
}
