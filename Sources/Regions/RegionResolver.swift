internal import CRegionData
internal import Locking

/// Says of a place whether guidance can be given for it, and whose grid and which time zone it has
/// (docs/decisions/0017-regions-from-a-coordinate.md). From any thread; for the operator's calls, which are few: a
/// question takes a fraction of a millisecond.
package final class RegionResolver: Sendable {
  /// Of the lower 48 states with their coastal waters and lakes, generously.
  private static let latitudes = 24.3...49.5
  private static let longitudes = -125.2 ... -66.7
  /// Piers, harbours, barrier islands, and what is lost where outlines are simplified.
  private static let shoreKilometres = 5.0

  /// `@unchecked Sendable`: behind a lock, since GEOS' contexts are for one thread at a time.
  private struct Maps: @unchecked Sendable {
    let land = Outlines(energykit_region_conus())
    let states = Outlines(energykit_region_states())
    let avert = Outlines(energykit_region_avert())
  }

  private let maps: Lock<Maps>
  private let places = ZIPPlaces()

  /// Reads the shipped outlines: about 60 ms.
  package init() {
    maps = Lock(Maps())
  }

  package func resolve(_ place: Coordinate) -> ResolvedPlace {
    let (basis, avert) = maps.withLock { maps in
      (Self.membership(of: place, maps), maps.avert.code(at: place))
    }
    guard let basis else {
      return ResolvedPlace(
        isSupported: false, gridRegion: nil, timeZone: nil, basis: "outside the contiguous United States")
    }
    return located(place, basis, avert)
  }

  /// How it is known that the place lies in the contiguous United States; `nil`: it does not.
  private static func membership(of place: Coordinate, _ maps: Maps) -> String? {
    guard latitudes.contains(place.latitude), longitudes.contains(place.longitude) else { return nil }
    if maps.land.code(at: place) != nil { return "on land" }
    guard let state = maps.states.code(at: place), maps.land.isWithin(kilometres: shoreKilometres, of: place) else {
      return nil
    }
    return "near the shore of \(state)"
  }

  /// The authority of the nearest ZIP code in the same AVERT region, whose borders are exact where those of authorities
  /// are not known; the zone of the nearest.
  private func located(_ place: Coordinate, _ basis: String, _ avert: String?) -> ResolvedPlace {
    guard let nearest = places.nearest(to: place),
      let same = places.nearest(to: place, inAVERT: avert ?? places.avertNames[Int(nearest.place.avert)])
    else { return ResolvedPlace(isSupported: true, gridRegion: nil, timeZone: nil, basis: basis) }
    let authority = places.authorityNames[Int(same.place.authority)]
    let region =
      avert.map { "in AVERT region \($0)" } ?? "beside AVERT region \(places.avertNames[Int(same.place.avert)])"
    return ResolvedPlace(
      isSupported: true, gridRegion: authority, timeZone: places.timeZoneNames[Int(nearest.place.timeZone)],
      basis: "\(basis), \(region); \(authority) by the nearest ZIP code there, \(rounded(same.kilometres)) km away")
  }

  private func rounded(_ kilometres: Double) -> Double { (kilometres * 10).rounded() / 10 }
}
