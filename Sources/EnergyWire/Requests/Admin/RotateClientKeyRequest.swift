internal import CEnergyProto
package import FoundationEssentials
package import ProtobufWire

package struct RotateClientKeyRequest: Hashable, Sendable {
  package let clientID: UUID
  /// How long the old keys work beside the new one; 0: not at all.
  package let overlapMilliseconds: Int64

  /// 90 days.
  package static let maximumOverlapSeconds: Int64 = 90 * 86_400

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__rotate_client_key_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    clientID = try arena.uuid(raw.pointee.client_id, field: "client_id")
    guard let overlap = raw.pointee.overlap?.pointee else {
      overlapMilliseconds = 0
      return
    }
    guard (0...Self.maximumOverlapSeconds).contains(overlap.seconds), (0...999_999_999).contains(overlap.nanos) else {
      throw .invalid("overlap", "must be 0 to 90 days")
    }
    overlapMilliseconds = overlap.seconds * 1000 + Int64(overlap.nanos / 1_000_000)
  }
}
