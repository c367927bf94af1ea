internal import CRegionData

/// The centroids of ZIP codes in the contiguous United States, with the grid and the time zone that they have.
struct ZIPPlaces: Sendable {
  struct Place {
    let latitude: Float
    let longitude: Float
    let avert: UInt8
    let authority: UInt8
    let timeZone: UInt8
  }

  let avertNames: [String]
  let authorityNames: [String]
  let timeZoneNames: [String]
  /// Ascending by latitude.
  private let places: [Place]

  init() {
    let data = energykit_region_places()
    let text = UnsafeRawBufferPointer(start: data.start, count: data.byte_count)
    var lines = text.split(separator: UInt8(ascii: "\n"))[...]
    avertNames = Self.names(lines.popFirst())
    authorityNames = Self.names(lines.popFirst())
    timeZoneNames = Self.names(lines.popFirst())
    places = lines.map(Self.place)
  }

  private static func names(_ line: Slice<UnsafeRawBufferPointer>?) -> [String] {
    guard let line else { preconditionFailure("the shipped places have no names") }
    return line.split(separator: UInt8(ascii: " ")).dropFirst().map { String(decoding: $0, as: UTF8.self) }
  }

  private static func place(_ line: Slice<UnsafeRawBufferPointer>) -> Place {
    let parts = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    guard parts.count == 5, let latitude = Float(parts[0]), let longitude = Float(parts[1]),
      let avert = UInt8(parts[2]), let authority = UInt8(parts[3]), let timeZone = UInt8(parts[4])
    else { preconditionFailure("a line of the shipped places is malformed") }
    return Place(
      latitude: latitude, longitude: longitude, avert: avert, authority: authority, timeZone: timeZone)
  }

  /// The nearest place to `coordinate`, of those in the AVERT region named `avert` where that is given, and how far it is
  /// in kilometres.
  func nearest(to coordinate: Coordinate, inAVERT avert: String? = nil) -> (place: Place, kilometres: Double)? {
    let wanted = avert.flatMap { avertNames.firstIndex(of: $0) }
    var best: (place: Place, kilometres: Double)?
    for place in places where wanted == nil || wanted == Int(place.avert) {
      let north = abs(Double(place.latitude) - coordinate.latitude) * Coordinate.kilometresPerDegree
      if let best, north >= best.kilometres { continue }
      let distance = coordinate.kilometres(toLatitude: Double(place.latitude), longitude: Double(place.longitude))
      if distance < best?.kilometres ?? .infinity { best = (place, distance) }
    }
    return best
  }
}
