import EnergyModel
import LocalTime

/// Reads the stamps of one file, in its order: RFC 3339, or wall-clock time of a zone that the operator named.
struct TimestampReader {
  private let clock: LocalClock?
  /// How often each wall-clock time of the repeated hour was read.
  private var repeats: [CivilTime: Int] = [:]

  /// - Parameter clock: For stamps without an offset; they are refused without it.
  init(clock: LocalClock?) {
    self.clock = clock
  }

  enum Failure: Error, Hashable {
    case notATime
    case noZone
    /// Spring skips this hour.
    case nonexistent

    var reason: String {
      switch self {
      case .notATime: "is not a time such as 2024-11-03T01:00:00-07:00"
      case .noZone: "has no offset, and no zone was named"
      case .nonexistent: "does not exist: the clocks skip this hour"
      }
    }
  }

  /// Accepts `YYYY-MM-DD`, `T` or a space, `HH[:MM[:SS[.fraction]]]` and `Z`, `±HH:MM`, `±HHMM` or nothing. Hour 24 is
  /// the next midnight. In the hour that autumn repeats, the first occurrence is daylight saving time and the second
  /// standard time: the order decides.
  mutating func read(_ text: String) throws(Failure) -> Timestamp {
    var parser = StampParser(text)
    guard let stamp = parser.parse() else { throw .notATime }
    guard let offset = stamp.offsetSeconds else { return try resolve(stamp) }
    return Timestamp(milliseconds: Int64(stamp.seconds - offset) * 1000 + Int64(stamp.milliseconds))
  }

  private mutating func resolve(_ stamp: StampParser.Stamp) throws(Failure) -> Timestamp {
    guard let clock else { throw .noZone }
    let time = CivilTime(secondsSince1970: stamp.seconds)
    let moments = clock.moments(of: time)
    guard var moment = moments.first else { throw .nonexistent }
    if moments.count > 1 {
      moment = moments[min(repeats[time, default: 0], moments.count - 1)]
      repeats[time, default: 0] += 1
    }
    return moment.advanced(byMilliseconds: Int64(stamp.milliseconds))
  }
}

/// Takes a stamp apart.
private struct StampParser {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  struct Stamp {
    /// As if the clock showed UTC.
    let seconds: Int
    let milliseconds: Int
    let offsetSeconds: Int?
  }

  mutating func parse() -> Stamp? {
    guard let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2),
      let date = CivilDate(year: year, month: month, day: day), skip("T") || skip("t") || skip(" "),
      let hour = digits(2), let (minute, second, milliseconds) = minutes(), let offset = offset(), rest.isEmpty
    else { return nil }
    let isMidnight = hour == 24 && minute == 0 && second == 0 && milliseconds == 0
    guard let time = CivilTime(date: date, hour: isMidnight ? 0 : hour, minute: minute, second: second)
    else { return nil }
    return Stamp(
      seconds: time.secondsSince1970 + (isMidnight ? 86_400 : 0), milliseconds: milliseconds,
      offsetSeconds: offset.seconds)
  }

  private mutating func minutes() -> (minute: Int, second: Int, milliseconds: Int)? {
    guard skip(":") else { return (0, 0, 0) }
    guard let minute = digits(2) else { return nil }
    guard skip(":") else { return (minute, 0, 0) }
    guard let second = digits(2) else { return nil }
    guard skip(".") else { return (minute, second, 0) }
    let fraction = rest.prefix { Self.digit($0) != nil }
    guard !fraction.isEmpty, fraction.count <= 9 else { return nil }
    rest = rest.dropFirst(fraction.count)
    let milliseconds = fraction.prefix(3).reduce(0) { $0 * 10 + (Self.digit($1) ?? 0) }
    return (minute, second, milliseconds * [1, 100, 10, 1][min(3, fraction.count)])
  }

  /// `seconds` is `nil` where nothing is said; the whole is `nil` where it is said wrongly.
  private mutating func offset() -> (seconds: Int?, Void)? {
    if rest.isEmpty { return (nil, ()) }
    if skip("Z") || skip("z") { return (0, ()) }
    let sign: Int
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hours = digits(2), hours < 24 else { return nil }
    _ = skip(":")
    guard let minutes = digits(2), minutes < 60 else { return nil }
    return (sign * (hours * 3600 + minutes * 60), ())
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, UInt32(first) == character.value else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func digits(_ count: Int) -> Int? {
    let bytes = rest.prefix(count)
    guard bytes.count == count else { return nil }
    var value = 0
    for byte in bytes {
      guard let digit = Self.digit(byte) else { return nil }
      value = value * 10 + digit
    }
    rest = rest.dropFirst(count)
    return value
  }

  private static func digit(_ byte: UInt8) -> Int? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
  }
}
