/// A place on the globe, WGS 84.
package struct Coordinate: Hashable, Sendable {
  /// Degrees, -90...90.
  package let latitude: Double
  /// Degrees, -180...180, east positive.
  package let longitude: Double

  /// `nil` where a number is not finite or out of range. Whether the two were swapped, or a sign was forgotten, only the
  /// place can tell.
  package init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  static let kilometresPerDegree = 111.195

  /// On a plane, good near the place: 0.5 % off at 500 km.
  func kilometres(toLatitude other: Double, longitude: Double) -> Double {
    let middle = (latitude + other) / 2 * .pi / 180
    let x = (longitude - self.longitude) * cosine(middle)
    let y = other - latitude
    return Self.kilometresPerDegree * (x * x + y * y).squareRoot()
  }
}
