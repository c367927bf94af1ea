package import EnergyModel
import Foundation

/// The wall clock of a time zone: daylight saving time is its business alone.
package struct LocalClock: Hashable, Sendable {
  /// IANA name, for example `America/Los_Angeles`.
  package let timeZone: String
  private let zone: TimeZone

  /// Returns `nil` for names that the IANA database does not know. Abbreviations (`PST`) are refused: they name an
  /// offset, not a place.
  package init?(timeZone name: String) {
    guard name == "UTC" || (name.contains("/") && name.utf8.allSatisfy(Self.isAllowedInName)),
      let zone = TimeZone(identifier: name)
    else { return nil }
    self.timeZone = name
    self.zone = zone
  }

  private init(timeZone: String, zone: TimeZone) {
    self.timeZone = timeZone
    self.zone = zone
  }

  package static let utc = LocalClock(timeZone: "UTC", zone: .gmt)

  private static func isAllowedInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "+"):
      true
    default: false
    }
  }

  /// Seconds to add to UTC. Moments outside the years 1...9999 count as the nearest one inside.
  package func offsetSeconds(at moment: Timestamp) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(Self.clamped(moment).seconds)))
  }

  /// What the clock shows, whole seconds.
  package func time(at moment: Timestamp) -> CivilTime {
    let moment = Self.clamped(moment)
    return CivilTime(secondsSince1970: Int(moment.seconds) + offsetSeconds(at: moment))
  }

  /// The moments at which the clock shows `time`, ascending: none in the hour that spring skips, two in the one that
  /// autumn repeats, else one.
  package func moments(of time: CivilTime) -> [Timestamp] {
    let local = time.secondsSince1970
    let before = offsetSeconds(at: Timestamp(seconds: Int64(local - 86_400)))
    let after = offsetSeconds(at: Timestamp(seconds: Int64(local + 86_400)))
    let candidates = before == after ? [before] : [max(before, after), min(before, after)]
    return candidates.compactMap { offset in
      let moment = Timestamp(seconds: Int64(local - offset))
      return offsetSeconds(at: moment) == offset ? moment : nil
    }
  }

  /// The first moment of a local day. Where midnight itself is skipped, the first moment after it.
  package func start(of date: CivilDate) -> Timestamp {
    let midnight = date.daysSince1970 * 86_400
    let time = CivilTime(secondsSince1970: midnight)
    if let moment = moments(of: time).first { return moment }
    return Timestamp(seconds: Int64(midnight - offsetSeconds(at: Timestamp(seconds: Int64(midnight - 86_400)))))
  }

  /// The last local midnight at or before `moment`, and the one `days` local days before that.
  package func midnight(before moment: Timestamp, daysEarlier days: Int = 0) -> Timestamp {
    start(of: CivilDate(daysSince1970: time(at: moment).date.daysSince1970 - days))
  }

  /// When the clock strikes the next hour: after `moment`, at most an hour later.
  package func nextHour(after moment: Timestamp) -> Timestamp {
    let offset = Int64(offsetSeconds(at: moment)) * 1000
    let local = moment.advanced(byMilliseconds: offset)
    return local.floored(toMultipleOf: 3_600_000).advanced(byMilliseconds: 3_600_000 - offset)
  }

  private static func clamped(_ moment: Timestamp) -> Timestamp { max(.earliest, min(.latest, moment)) }
}
