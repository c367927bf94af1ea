internal import CEnergyProto
package import ProtobufWire

package struct ListVenuesRequest: Hashable, Sendable {
  /// 1...1000.
  package let pageSize: Int
  package let pageToken: PageToken?

  private static let maximumPageSize = 1000

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__list_venues_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    pageSize = try arena.pageSize(
      raw.pointee.page_size, standard: Self.maximumPageSize, maximum: Self.maximumPageSize)
    pageToken = try arena.pageToken(raw.pointee.page_token, in: .venues)
  }
}
