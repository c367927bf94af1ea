import CNghttp2

/// nghttp2's callbacks and options, the same for every session of a role.
///
/// The callbacks recover the session and call one method of it; nothing throws through C.
enum SessionConfiguration {
  /// nghttp2 reads these and copies what it needs.
  private struct Shared: @unchecked Sendable {
    let options: OpaquePointer
    let callbacks: OpaquePointer
  }

  /// Made for the first session, kept for all.
  private static let shared = Result { () throws(HTTP2Error) in
    Shared(options: try makeOptions(), callbacks: try makeCallbacks())
  }

  static let readBody: nghttp2_data_source_read_callback = { _, streamID, buffer, count, flags, source, userData in
    guard let flags, let source else { return Int(energykit_nghttp2_callback_failure) }
    let place = source.pointee.ptr
    return withSession(userData) { session in
      session.readBody(
        into: UnsafeMutableRawBufferPointer(start: buffer, count: count), streamID: streamID, userData: place,
        flags: flags)
    }
  }

  static func makeSession(
    _ role: HTTP2Session.Role, memory: SessionMemory, userData: UnsafeMutableRawPointer
  ) throws(HTTP2Error) -> OpaquePointer {
    let shared = try shared.get()
    var session: OpaquePointer?
    switch role {
    case .server:
      try check(
        Int(
          nghttp2_session_server_new3(
            &session, shared.callbacks, userData, shared.options, memory.functions)),
        "nghttp2_session_server_new3")
    case .client:
      try check(
        Int(
          nghttp2_session_client_new3(
            &session, shared.callbacks, userData, shared.options, memory.functions)),
        "nghttp2_session_client_new3")
    }
    guard let session else { throw HTTP2Error(call: "nghttp2_session_new", code: -1) }
    return session
  }

  private static func makeOptions() throws(HTTP2Error) -> OpaquePointer {
    var made: OpaquePointer?
    try check(Int(nghttp2_option_new(&made)), "nghttp2_option_new")
    guard let options = made else { throw HTTP2Error(call: "nghttp2_option_new", code: -1) }
    // Credit is returned as handlers take messages (G-092).
    nghttp2_option_set_no_auto_window_update(options, 1)
    nghttp2_option_set_no_closed_streams(options, 1)
    // Spaces around values cost no call (G-042).
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1)
    // gRPC clients cancel as a matter of course: above what these ever do (G-140). Whoever serves the calls has the
    // narrower bounds, since it knows which of them had a chance.
    nghttp2_option_set_stream_reset_rate_limit(options, 10_000, 1_000)
    nghttp2_option_set_max_outbound_ack(options, 1_000)
    nghttp2_option_set_max_settings(options, 32)
    // Unknown frames are told, so that they can be counted (G-155).
    for type in 0x0a...0xff as ClosedRange<UInt8> { nghttp2_option_set_user_recv_extension_type(options, type) }
    return options
  }

  private static func makeCallbacks() throws(HTTP2Error) -> OpaquePointer {
    var made: OpaquePointer?
    try check(Int(nghttp2_session_callbacks_new(&made)), "nghttp2_session_callbacks_new")
    guard let callbacks = made else { throw HTTP2Error(call: "nghttp2_session_callbacks_new", code: -1) }
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, header, userData in
      guard let header else { return 0 }
      withSession(userData) { $0.beganFrame(header) }
      return 0
    }
    // Unknown frames are ignored (G-005).
    nghttp2_session_callbacks_set_unpack_extension_callback(callbacks) { _, _, _, _ in energykit_nghttp2_cancel }
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, userData in
      guard let frame else { return 0 }
      withSession(userData) { $0.beganHeaders(frame) }
      return 0
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameCount, value, valueCount, _, userData in
      guard let frame else { return 0 }
      return withSession(userData) { session in
        session.receivedField(
          frame, name: UnsafeRawBufferPointer(start: name, count: nameCount),
          value: UnsafeRawBufferPointer(start: value, count: valueCount))
      }
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, userData in
      guard let frame else { return 0 }
      withSession(userData) { $0.receivedFrame(frame) }
      return 0
    }
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, _, userData in
      guard let frame else { return 0 }
      withSession(userData) { $0.rejectedFrame(frame) }
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, streamID, bytes, count, userData in
      withSession(userData) { $0.receivedData(UnsafeRawBufferPointer(start: bytes, count: count), streamID: streamID) }
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, streamID, errorCode, userData in
      withSession(userData) { $0.closedStream(streamID, errorCode: errorCode) }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, userData in
      guard let frame else { return 0 }
      withSession(userData) { $0.sentFrame(frame) }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, userData in
      guard let frame else { return 0 }
      withSession(userData) { $0.didNotSend(frame) }
      return 0
    }
    return callbacks
  }
}

/// The session that nghttp2 was given at its birth; it lives while nghttp2 runs, since it owns nghttp2's session.
private func withSession<Result>(_ userData: UnsafeMutableRawPointer?, _ body: (HTTP2Session) -> Result) -> Result {
  guard let userData else { preconditionFailure("nghttp2 lost the session") }
  return Unmanaged<HTTP2Session>.fromOpaque(userData)._withUnsafeGuaranteedRef(body)
}
