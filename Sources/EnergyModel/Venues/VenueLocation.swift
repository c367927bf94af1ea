/// Where a venue is, as it is kept: WGS 84, rounded to 0.01 degrees, about a kilometre (docs/architecture.md, Privacy).
package struct VenueLocation: Hashable, Sendable, Codable {
  /// -9000...9000.
  package let latitudeHundredths: Int
  /// -18000...18000.
  package let longitudeHundredths: Int

  package init(rounding point: GeoPoint) {
    latitudeHundredths = Int((point.latitude * 100).rounded())
    longitudeHundredths = Int((point.longitude * 100).rounded())
  }

  /// Returns `nil` for what is not on the globe.
  package init?(latitudeHundredths: Int, longitudeHundredths: Int) {
    guard (-9000...9000).contains(latitudeHundredths), (-18000...18000).contains(longitudeHundredths) else {
      return nil
    }
    self.latitudeHundredths = latitudeHundredths
    self.longitudeHundredths = longitudeHundredths
  }

  package var point: GeoPoint? {
    GeoPoint(latitude: Double(latitudeHundredths) / 100, longitude: Double(longitudeHundredths) / 100)
  }
}
