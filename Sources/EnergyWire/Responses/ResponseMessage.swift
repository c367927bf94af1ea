package import GRPC

/// A response that writes itself straight into the call's buffer.
package protocol ResponseMessage {
  /// Bytes of the encoded message.
  var byteCount: Int { get }
  /// Fills `buffer`, which must have `byteCount` bytes.
  func write(into buffer: UnsafeMutableRawBufferPointer)
}

extension ServerCall {
  /// Sends one message.
  package func send(_ message: some ResponseMessage) {
    send(byteCount: message.byteCount) { message.write(into: $0) }
  }
}
