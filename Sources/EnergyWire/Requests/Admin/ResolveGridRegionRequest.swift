internal import CEnergyProto
package import EnergyModel
package import ProtobufWire

package struct ResolveGridRegionRequest: Hashable, Sendable {
  package let place: Place

  package enum Place: Hashable, Sendable {
    case location(GeoPoint)
    case postalCode(String)
  }

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__resolve_grid_region_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    switch raw.pointee.place_case {
    case ENERGYKIT__V1__RESOLVE_GRID_REGION_REQUEST__PLACE_LOCATION:
      guard let point = try arena.location(raw.pointee.location) else {
        throw .invalid("location", "a location is needed")
      }
      place = .location(point)
    case ENERGYKIT__V1__RESOLVE_GRID_REGION_REQUEST__PLACE_POSTAL_CODE:
      let code = try arena.text(of: raw.pointee.postal_code)
      guard code.utf8.count == 5, code.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw .invalid("postal_code", "must have five digits")
      }
      place = .postalCode(code)
    default:
      throw .invalid("place", "location or postal_code is needed")
    }
  }
}
