import CNghttp2

/// A call to nghttp2 that failed; the connection is to be closed after what is still to be pulled has been sent.
package struct HTTP2Error: Error, Hashable, Sendable, CustomStringConvertible {
  /// The C function, such as `nghttp2_session_mem_recv`.
  package let call: String
  /// nghttp2's code, negative.
  package let code: Int

  init(call: StaticString, code: Int) {
    self.call = call.description
    self.code = code
  }

  /// Whether the peer speaks something else than HTTP/2 (G-003).
  package var isBadPreface: Bool { code == Int(energykit_nghttp2_bad_client_magic) }

  package var description: String { "\(call): \(String(cString: nghttp2_strerror(Int32(code))))" }
}

/// Turns nghttp2's negative result codes into an error that names the call.
@discardableResult
func check(_ code: Int, _ call: StaticString) throws(HTTP2Error) -> Int {
  if code < 0 { throw HTTP2Error(call: call, code: code) }
  return code
}

/// Why a stream or a connection ended (RFC 9113 §7).
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let noError = HTTP2ErrorCode(rawValue: 0x0)
  package static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
  package static let internalError = HTTP2ErrorCode(rawValue: 0x2)
  package static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
  package static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
  package static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
  package static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
  package static let cancel = HTTP2ErrorCode(rawValue: 0x8)
  package static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
  package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xb)
  package static let inadequateSecurity = HTTP2ErrorCode(rawValue: 0xc)
}
