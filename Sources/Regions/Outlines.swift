internal import CGEOS
internal import CRegionData
internal import Glibc

/// Shapes on the map over GEOS, prepared for many questions. Not safe on two threads: GEOS' context is its own.
final class Outlines {
  private struct Shape {
    let code: String
    let geometry: OpaquePointer
    let prepared: OpaquePointer
  }

  private let context: OpaquePointer
  private let shapes: [Shape]

  /// - Parameter data: Lines of code, tab, geometry as GeoJSON. It is shipped: what cannot be read is a mistake of ours.
  init(_ data: energykit_region_data) {
    guard let context = energykit_geos_start(), let reader = GEOSGeoJSONReader_create_r(context) else {
      preconditionFailure("GEOS does not start")
    }
    defer { GEOSGeoJSONReader_destroy_r(context, reader) }
    self.context = context
    let text = UnsafeRawBufferPointer(start: data.start, count: data.byte_count)
    shapes = text.split(separator: UInt8(ascii: "\n")).map { Self.shape($0, context, reader) }
  }

  private static func shape(
    _ line: Slice<UnsafeRawBufferPointer>, _ context: OpaquePointer, _ reader: OpaquePointer
  ) -> Shape {
    let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
    guard parts.count == 2, let geometry = GEOSGeoJSONReader_readGeometry_r(context, reader, parts[1]),
      let prepared = GEOSPrepare_r(context, geometry)
    else { preconditionFailure("a shipped outline is malformed") }
    return Shape(code: parts[0], geometry: geometry, prepared: prepared)
  }

  deinit {
    for shape in shapes {
      GEOSPreparedGeom_destroy_r(context, shape.prepared)
      GEOSGeom_destroy_r(context, shape.geometry)
    }
    GEOS_finish_r(context)
  }

  /// The code of the first shape that the place lies in, its edge included.
  func code(at place: Coordinate) -> String? {
    guard let point = GEOSGeom_createPointFromXY_r(context, place.longitude, place.latitude) else { return nil }
    defer { GEOSGeom_destroy_r(context, point) }
    return shapes.first { GEOSPreparedIntersects_r(context, $0.prepared, point) == 1 }?.code
  }

  /// Whether some shape is at most so far away, on a plane that touches the globe at the place.
  func isWithin(kilometres: Double, of place: Coordinate) -> Bool {
    // What is near is cut out first: shapes have thousands of corners.
    let degrees = 1.5 * kilometres / Coordinate.kilometresPerDegree / max(0.1, cosine(place.latitude * .pi / 180))
    return shapes.contains { shape in
      guard
        let near = GEOSClipByRect_r(
          context, shape.geometry, place.longitude - degrees, place.latitude - degrees, place.longitude + degrees,
          place.latitude + degrees)
      else { return false }
      defer { GEOSGeom_destroy_r(context, near) }
      guard GEOSisEmpty_r(context, near) == 0 else { return false }
      return (distance(of: near, from: place) ?? .infinity) <= kilometres
    }
  }

  private func distance(of shape: OpaquePointer, from place: Coordinate) -> Double? {
    let perDegree = Coordinate.kilometresPerDegree
    var factors = (perDegree * cosine(place.latitude * .pi / 180), perDegree)
    return withUnsafeMutablePointer(to: &factors) { factors -> Double? in
      guard let scaled = GEOSGeom_transformXY_r(context, shape, energykit_geos_scale, factors) else { return nil }
      defer { GEOSGeom_destroy_r(context, scaled) }
      let x = place.longitude * factors.pointee.0
      let y = place.latitude * factors.pointee.1
      guard let point = GEOSGeom_createPointFromXY_r(context, x, y) else { return nil }
      defer { GEOSGeom_destroy_r(context, point) }
      var distance = 0.0
      guard GEOSDistance_r(context, scaled, point, &distance) == 1 else { return nil }
      return distance
    }
  }
}

func cosine(_ radians: Double) -> Double { cos(radians) }
