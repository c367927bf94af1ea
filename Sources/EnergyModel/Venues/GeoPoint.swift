/// A place on earth as it is given: degrees, WGS 84.
package struct GeoPoint: Hashable, Sendable {
  package let latitude: Double
  package let longitude: Double

  /// Returns `nil` for what is not on the globe, and for what is not a number.
  package init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }
}
