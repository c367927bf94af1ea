internal import CEnergyProto
package import ProtobufWire

package struct ListClientsRequest: Hashable, Sendable {
  /// 1...1000.
  package let pageSize: Int
  package let pageToken: PageToken?

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__list_clients_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    pageSize = try arena.adminPageSize(raw.pointee.page_size)
    pageToken = try arena.pageToken(raw.pointee.page_token, in: .clients)
  }
}
