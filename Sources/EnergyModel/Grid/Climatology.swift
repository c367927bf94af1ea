/// Typical values of a signal by hour of the local day, for regions without enough history of their own.
/// Never to be presented as measured.
package struct Climatology: Hashable, Sendable, Codable {
  package let key: SignalKey
  /// IANA name of the zone that the hours are local to.
  package let timeZone: String
  /// 24 means, hour 0 being 00:00-01:00; `nil` where nothing is known. In the unit of the signal's kind.
  package let hourlyMeans: [Double?]

  /// Returns `nil` unless there are 24 hours, at least one of them known, and all that are known finite.
  package init?(key: SignalKey, timeZone: String, hourlyMeans: [Double?]) {
    let known = hourlyMeans.compactMap(\.self)
    guard hourlyMeans.count == 24, !known.isEmpty, known.allSatisfy(\.isFinite) else { return nil }
    self.key = key
    self.timeZone = timeZone
    self.hourlyMeans = hourlyMeans
  }
}
