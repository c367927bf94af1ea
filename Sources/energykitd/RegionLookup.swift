import EnergyModel
import EnergyService
import Locking
import Regions

/// The shipped outlines, read when they are first needed: most starts never do. Off the event loops, since reading takes
/// long.
final class RegionLookup: Sendable {
  private let resolver = Lock<RegionResolver?>(nil)

  func place(at point: GeoPoint) async -> Place {
    await Task.detached { self.find(point) }.value
  }

  private func find(_ point: GeoPoint) -> Place {
    let resolver = resolver.withLock { known in
      let resolver = known ?? RegionResolver()
      known = resolver
      return resolver
    }
    guard let coordinate = Coordinate(latitude: point.latitude, longitude: point.longitude) else {
      return Place(isSupported: false, gridRegion: "", timeZone: "", basis: "no place on the globe")
    }
    let found = resolver.resolve(coordinate)
    return Place(
      isSupported: found.isSupported, gridRegion: found.gridRegion ?? "", timeZone: found.timeZone ?? "",
      basis: found.basis)
  }
}
