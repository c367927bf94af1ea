import GRPC
import HTTP2

extension Status {
  /// What RST_STREAM says of a call (gRPC over HTTP2, "Errors"; G-071). A stream that ends without error, and without a
  /// status, is broken as well.
  init(streamEndedWith code: HTTP2ErrorCode) {
    switch code {
    case .noError: self.init(.internal, "the server has ended the call without a status")
    case .refusedStream: self.init(.unavailable, "the server has refused the call")
    case .cancel: self.init(.cancelled, "the server has cancelled the call")
    case .enhanceYourCalm: self.init(.resourceExhausted, "the server asks for calm")
    case .inadequateSecurity: self.init(.permissionDenied, "the server does not trust the connection")
    case _: self.init(.internal, "the server has reset the call (HTTP/2 error \(code.rawValue))")
    }
  }

  /// What is wrong with the messages of an answer.
  init(_ error: FramingError) {
    switch error {
    case .truncated: self.init(.internal, "the answer ended within a message")
    case .corruptCompression: self.init(.internal, "a compressed message of the answer does not decompress")
    case .reservedFlag, .compressedWithoutEncoding, .messageTooLarge, .decompressedTooLarge, .outOfMemory:
      self = error.status
    }
  }

  static let deadlinePassed = Status(.deadlineExceeded, "the deadline has passed")
  static let cancelledByCaller = Status(.cancelled, "the caller has cancelled the call")
  static let channelShutDown = Status(.unavailable, "the channel is shut down")
}
