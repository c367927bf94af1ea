package import EnergyModel

/// What follows from where something is.
package struct Place: Hashable, Sendable {
  /// Inside the contiguous United States.
  package let isSupported: Bool
  /// Empty where there is none.
  package let gridRegion: String
  /// IANA name; empty where it is not known.
  package let timeZone: String
  /// How it was found, for a person.
  package let basis: String

  package init(isSupported: Bool, gridRegion: String, timeZone: String, basis: String) {
    self.isSupported = isSupported
    self.gridRegion = gridRegion
    self.timeZone = timeZone
    self.basis = basis
  }
}

/// Looks a place up; called on event loops, so what takes long is to be done elsewhere.
package typealias PlaceFinder = @Sendable (GeoPoint) async -> Place
