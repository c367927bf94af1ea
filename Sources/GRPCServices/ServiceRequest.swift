internal import CProtobufC
internal import GRPC
internal import ProtobufWire

/// How the services here read their requests.
extension DecodeArena {
  var allocator: UnsafeMutablePointer<ProtobufCAllocator> { UnsafeMutablePointer(allocatorForC) }

  /// Unpacks `message` by one of protobuf-c's generated functions, into this arena.
  ///
  /// - Throws: INTERNAL where the bytes are no such message (G-060).
  func unpack<Message>(
    _ message: UnsafeRawBufferPointer,
    _ unpack: (UnsafeMutablePointer<ProtobufCAllocator>?, Int, UnsafePointer<UInt8>?) -> UnsafeMutablePointer<Message>?
  ) throws(Status) -> Message {
    begin(messageByteCount: message.count)
    guard let raw = unpack(allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self)) else {
      throw Status.malformedRequest
    }
    return raw.pointee
  }

  /// The text of a string that was unpacked, NUL in it included, which protobuf-c would end it at.
  ///
  /// - Throws: INTERNAL where it is not UTF-8 (G-060).
  func text(of string: UnsafeMutablePointer<CChar>?) throws(Status) -> String {
    guard let text = String(validating: bytes(of: string), as: UTF8.self) else { throw Status.malformedRequest }
    return text
  }
}

extension Status {
  static let malformedRequest = Status(.internal, "the request message is malformed")
}
