internal import CEnergyProto
internal import CProtobufC
internal import EnergyModel
internal import FoundationEssentials
internal import ProtobufWire

// How the fields that many requests have in common become values. Each names its field in the error.
extension DecodeArena {
  /// Fields at the top level of a request that is not a batch: more than any has, so that unknown ones have room.
  static let fieldLimit = 1000

  var allocator: UnsafeMutablePointer<ProtobufCAllocator> { UnsafeMutablePointer(allocatorForC) }

  /// Why protobuf-c gave up.
  var unpackError: WireError { hasRefused ? .tooComplex : .unparsable }

  /// Sets the arena up for a whole message and refuses what has too many fields.
  func begin(_ message: UnsafeRawBufferPointer) throws(WireError) {
    try WireScanner.check(message, fieldLimit: Self.fieldLimit)
    begin(messageByteCount: message.count)
  }

  /// A UUID that must be there.
  func uuid(_ string: UnsafeMutablePointer<CChar>?, field: String) throws(WireError) -> UUID {
    let bytes = bytes(of: string)
    if let uuid = UUID(text: bytes) { return uuid }
    try requireUTF8(bytes)
    throw .invalid(field, bytes.isEmpty ? "a UUID is needed" : "is not a UUID")
  }

  /// A UUID, `nil` where the string is empty.
  func optionalUUID(_ string: UnsafeMutablePointer<CChar>?, field: String) throws(WireError) -> UUID? {
    bytes(of: string).isEmpty ? nil : try uuid(string, field: field)
  }

  /// A text of 1...`maximumByteCount` bytes.
  func text(
    _ string: UnsafeMutablePointer<CChar>?, field: String, maximumByteCount: Int
  ) throws(WireError) -> String {
    let text = try text(of: string)
    guard (1...maximumByteCount).contains(text.utf8.count) else {
      throw .invalid(field, "must have 1 to \(maximumByteCount) bytes")
    }
    return text
  }

  /// The text of a string that protobuf-c unpacked into this arena. Throws `unparsable` where it is not UTF-8.
  func text(of string: UnsafeMutablePointer<CChar>?) throws(WireError) -> String {
    guard let text = String(validating: bytes(of: string), as: UTF8.self) else { throw .unparsable }
    return text
  }

  func requireUTF8(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .unparsable }
  }

  func action(_ raw: Energykit__V1__SuggestedAction) throws(WireError) -> SuggestedAction {
    guard let action = UInt8(exactly: raw.rawValue).flatMap(SuggestedAction.init(rawValue:)) else {
      throw .invalid("suggested_action", "must be SHIFT or REDUCE")
    }
    return action
  }

  /// How many rows of a listing are asked for; 0 means `standard`, more than `maximum` means `maximum`.
  func pageSize(_ raw: Int32, standard: Int, maximum: Int) throws(WireError) -> Int {
    guard raw >= 0 else { throw .invalid("page_size", "must not be negative") }
    return raw == 0 ? standard : min(Int(raw), maximum)
  }

  func pageToken(
    _ string: UnsafeMutablePointer<CChar>?, in listing: PageToken.Listing
  ) throws(WireError) -> PageToken? {
    let bytes = bytes(of: string)
    if bytes.isEmpty { return nil }
    if let token = PageToken(text: bytes, in: listing) { return token }
    try requireUTF8(bytes)
    throw .invalid("page_token", "is none that was given out")
  }
}

extension Timestamp {
  /// Cut to the millisecond, towards the past. `nil` where the message is absent or outside of what
  /// google.protobuf.Timestamp may hold.
  init?(_ raw: UnsafeMutablePointer<Google__Protobuf__Timestamp>?) {
    guard let raw else { return nil }
    let seconds = raw.pointee.seconds
    let nanos = raw.pointee.nanos
    guard (-62_135_596_800...253_402_300_799).contains(seconds), (0...999_999_999).contains(nanos) else { return nil }
    self.init(milliseconds: seconds * 1000 + Int64(nanos / 1_000_000))
  }
}
