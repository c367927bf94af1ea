internal import CEnergyProto
package import ProtobufWire

package struct ListGridRegionsRequest: Hashable, Sendable {
  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      energykit__v1__list_grid_regions_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self)) != nil
    else { throw arena.unpackError }
  }
}
