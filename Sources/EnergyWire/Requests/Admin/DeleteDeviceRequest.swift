internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

package struct DeleteDeviceRequest: Hashable, Sendable {
  package let venueID: UUID
  package let clientID: UUID
  package let deviceID: DeviceID

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__delete_device_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    venueID = try arena.uuid(raw.pointee.venue_id, field: "venue_id")
    clientID = try arena.uuid(raw.pointee.client_id, field: "client_id")
    guard let id = DeviceID(try arena.text(of: raw.pointee.device_id)) else {
      throw .invalid("device_id", "1 to 64 letters, digits, spaces, hyphens and apostrophes are needed")
    }
    deviceID = id
  }
}
