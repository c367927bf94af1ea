/// What a header block is.
package enum HTTP2HeadersKind: Hashable, Sendable {
  /// The first of a stream that the client opens; at a server only.
  case request
  /// The first that answers a request; at a client only. May be informational (`:status` 1xx).
  case response
  /// A later one: trailers, or at a client the response after an informational one.
  case later
}

/// Whether a connection goes on after a header field.
package enum HTTP2FieldVerdict: Hashable, Sendable {
  case goOn
  /// The block is far too large: GOAWAY ENHANCE_YOUR_CALM, and `receive` throws (G-046, G-153).
  case endConnection
}

/// What `HTTP2SessionDelegate.readBody` has put into the buffer, and what follows.
package enum HTTP2BodyRead: Hashable, Sendable {
  /// Bytes, more than none; the session asks again as soon as the windows allow.
  case bytes(Int)
  /// The last bytes for now, perhaps none; the session asks again after `submitBody`. Trailers may be submitted within
  /// this call or later; they go after the bytes.
  case pause(Int)
  /// The last bytes, perhaps none; END_STREAM goes with them.
  case end(Int)
  /// The stream is reset (INTERNAL_ERROR).
  case failed
}

/// Takes the events of a session, in the order of the frames, within `receive` and `pull`.
///
/// Bytes handed over are parts of the buffer given to `receive`, or nghttp2's own; those of fields are valid during the
/// call, those of data until `receive` returns. `context` is what `HTTP2Session.setContext` stored for the stream;
/// events of a stream without one are not told.
package protocol HTTP2SessionDelegate: AnyObject {
  /// A header block begins; its fields follow, then `didEndHeaders`. Blocks of a connection never interleave
  /// (RFC 9113 §4.3).
  func didBeginHeaders(_ kind: HTTP2HeadersKind, streamID: Int32)
  /// Names are in lower case and both are legal (RFC 9113 §8.2.1), as nghttp2 checks them.
  func didReceive(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> HTTP2FieldVerdict
  /// `context` is `nil` for a request: this is the place to set it.
  func didEndHeaders(_ kind: HTTP2HeadersKind, streamID: Int32, endsStream: Bool, context: AnyObject?)
  /// A part of a DATA frame, without padding. The connection's credit is returned by the session, the stream's by
  /// `consume`.
  func didReceiveData(_ bytes: UnsafeRawBufferPointer, streamID: Int32, context: AnyObject)
  /// END_STREAM came with a DATA frame, after its data.
  func didEndStream(_ streamID: Int32, context: AnyObject)
  /// The stream is gone: ended by both sides (`errorCode` 0), or reset by one. REFUSED_STREAM stands also for a client's
  /// streams that the server's GOAWAY leaves out. The session lets go of `context`.
  func didCloseStream(_ streamID: Int32, errorCode: HTTP2ErrorCode, context: AnyObject)
  /// The peer has broken the protocol on the stream, which will be reset; `didCloseStream` follows when it has been.
  func didBreakStream(_ streamID: Int32, context: AnyObject)
  /// Bytes of the stream's body are wanted, `buffer.count` at most, which is at least 1.
  func readBody(into buffer: UnsafeMutableRawBufferPointer, streamID: Int32, context: AnyObject) -> HTTP2BodyRead
  /// The peer's SETTINGS have been applied; `isAcknowledgement`: ours have been, by the peer.
  func didReceiveSettings(isAcknowledgement: Bool)
  /// The peer has sent a PING; the session answers it.
  func didReceivePing()
  /// The answer to `submitPing`.
  func didReceivePingAcknowledgement(_ payload: UInt64)
  /// The peer ends the connection after the streams up to `lastStreamID`.
  func didReceiveGoAway(lastStreamID: Int32, errorCode: HTTP2ErrorCode)
}

extension HTTP2SessionDelegate {
  package func didBreakStream(_ streamID: Int32, context: AnyObject) {}
  package func didReceivePing() {}
}
