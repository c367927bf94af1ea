internal import CEnergyProto
internal import CProtobufC
internal import EnergyModel
internal import FoundationEssentials
internal import ProtobufWire

// Fields that several requests of AdminService have.
extension DecodeArena {
  /// Bytes of the name of a client or venue.
  static let maximumNameByteCount = 256
  private static let maximumZoneByteCount = 64
  private static let maximumRegionByteCount = 64

  /// Rows of a listing.
  func adminPageSize(_ raw: Int32) throws(WireError) -> Int { try pageSize(raw, standard: 100, maximum: 1000) }

  /// For people to read: no characters that control a terminal.
  func name(_ string: UnsafeMutablePointer<CChar>?) throws(WireError) -> String {
    let name = try text(string, field: "name", maximumByteCount: Self.maximumNameByteCount)
    guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw .invalid("name", "must not hold control characters")
    }
    return name
  }

  /// Empty where it was left out. Whether it is one is for the service to say.
  func timeZone(_ string: UnsafeMutablePointer<CChar>?) throws(WireError) -> String {
    try shortText(string, field: "time_zone", maximumByteCount: Self.maximumZoneByteCount)
  }

  /// Empty where it was left out.
  func gridRegion(_ string: UnsafeMutablePointer<CChar>?) throws(WireError) -> String {
    try shortText(string, field: "grid_region", maximumByteCount: Self.maximumRegionByteCount)
  }

  private func shortText(
    _ string: UnsafeMutablePointer<CChar>?, field: String, maximumByteCount: Int
  ) throws(WireError) -> String {
    let text = try text(of: string)
    guard text.utf8.count <= maximumByteCount else {
      throw .invalid(field, "must have at most \(maximumByteCount) bytes")
    }
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .invalid(field, "must be printable ASCII without spaces")
    }
    return text
  }

  func entitlements(
    _ values: UnsafeMutablePointer<Energykit__V1__Entitlement>?, count: Int
  ) throws(WireError) -> Set<Entitlement> {
    var entitlements: Set<Entitlement> = []
    for (index, raw) in UnsafeBufferPointer(start: values, count: values == nil ? 0 : count).enumerated() {
      guard let entitlement = UInt8(exactly: raw.rawValue).flatMap(Entitlement.init(rawValue:)) else {
        throw .invalid("entitlements[\(index)]", "must be ENERGYKIT or LOAD_EVENTS_EXPERIENCE")
      }
      entitlements.insert(entitlement)
    }
    return entitlements
  }

  /// `nil` where it is absent.
  func location(_ raw: UnsafeMutablePointer<Energykit__V1__GeoPoint>?) throws(WireError) -> GeoPoint? {
    guard let raw else { return nil }
    guard (-90...90).contains(raw.pointee.latitude) else { throw .invalid("location.latitude", "must be -90 to 90") }
    guard let point = GeoPoint(latitude: raw.pointee.latitude, longitude: raw.pointee.longitude) else {
      throw .invalid("location.longitude", "must be -180 to 180")
    }
    return point
  }

  func isSet(_ raw: UnsafeMutablePointer<Google__Protobuf__BoolValue>?) -> Bool? {
    raw.map { $0.pointee.value != 0 }
  }
}
