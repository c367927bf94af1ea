private import COpenSSL

/// One end of a TLS connection (RFC 8446, RFC 5246): bytes of the wire in, plaintext out, and back. It owns no socket.
/// For one thread at a time.
///
/// After each call the owner sends `buffers.output`, also where the call has thrown: the alert that says why is in it.
package final class TLSSession {
  package enum Event {
    /// The handshake is done: `send` works, `peerCertificate` is there. Comes first, once.
    case established
    /// Valid within the handler only.
    case plaintext(UnsafeRawBufferPointer)
    /// The peer sends no more (close_notify). The last.
    case ended
  }

  private enum State {
    case handshaking
    case established
    /// Ended by either side, or broken: nothing more is read or written.
    case finished
  }

  /// Bytes of a peer's handshake: an honest one has its certificates, a few thousand bytes (`chainByteLimit`).
  private static let handshakeByteLimit = 64 << 10
  /// Bytes of a client's first message, of which OpenSSL would keep 128 KiB; honest ones have less than 3.
  private static let helloByteLimit = 16 << 10

  let buffers: TLSBuffers
  private let context: TLSContext
  private var raw: OpaquePointer?
  @exclusivity(unchecked) private var state = State.handshaking
  @exclusivity(unchecked) private var input = UnsafeRawBufferPointer(start: nil, count: 0)
  private var handshakeByteCount = 0
  /// Whether anything was said to the peer: a server has the whole of the client's first message then.
  private var hasSpoken = false
  var hasNoCommonProtocol = false

  /// - Parameter serverName: Of a client: the name, or address in numbers, that the server's certificate must be for.
  /// - Parameter buffers: Shared by the sessions of a thread.
  /// - Throws: where memory is short, or the name is none.
  package init(_ context: TLSContext, serverName: String? = nil, buffers: TLSBuffers) throws(TLSError) {
    self.context = context
    self.buffers = buffers
    ERR_clear_error()
    guard let raw = SSL_new(context.raw) else { throw .ofLibrary("SSL_new") }
    self.raw = raw
    guard let wire = SessionWire.make(self) else { throw .ofLibrary("BIO_new") }
    // One reference is enough where both are the same.
    SSL_set_bio(raw, wire, wire)
    switch context.role {
    case .server: SSL_set_accept_state(raw)
    case .client:
      SSL_set_connect_state(raw)
      if let serverName { try expect(serverName) }
    }
  }

  deinit { SSL_free(raw) }

  /// Whether the handshake is done and neither side has ended the session.
  package var isEstablished: Bool {
    switch state {
    case .established: true
    case .handshaking, .finished: false
    }
  }

  /// Begins the handshake of a client; a server waits for the client.
  package func start() throws(TLSError) {
    _ = try handshake()
  }

  // MARK: - Reading

  /// Takes bytes of the wire, all of them, in any pieces. `handle` may call `send` and `finish`, not `receive`.
  ///
  /// - Throws: what has ended the session. What came before was handed on.
  package func receive(_ wire: UnsafeRawBufferPointer, _ handle: (Event) -> Void) throws(TLSError) {
    input = wire
    defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
    switch state {
    case .finished: return
    case .established: break
    case .handshaking:
      guard try handshake() else { return }
      handle(.established)
    }
    try readPlaintext(handle)
  }

  private func readPlaintext(_ handle: (Event) -> Void) throws(TLSError) {
    var filled = 0
    while isEstablished {
      var count = 0
      ERR_clear_error()
      let room = UnsafeMutableRawBufferPointer(rebasing: buffers.plaintext[filled...])
      let code = SSL_read_ex(raw, room.baseAddress, room.count, &count)
      filled += count
      // A record is decrypted into the room for it, else by way of a buffer of OpenSSL's.
      if code == 1, buffers.plaintext.count - filled >= Int(SSL3_RT_MAX_PLAIN_LENGTH) { continue }
      let outcome = SSL_get_error(raw, code)
      let reason = code == 1 ? nil : readFailure(outcome)
      if filled > 0 {
        handle(.plaintext(UnsafeRawBufferPointer(rebasing: buffers.plaintext[..<filled])))
        filled = 0
      }
      if code == 1 { continue }
      guard isEstablished else { return }
      if outcome == SSL_ERROR_ZERO_RETURN { return end(handle) }
      if let reason {
        state = .finished
        throw reason
      }
      return
    }
  }

  /// `nil` where the wire has no more for now, or the peer has ended well.
  private func readFailure(_ outcome: CInt) -> TLSError? {
    outcome == SSL_ERROR_WANT_READ || outcome == SSL_ERROR_ZERO_RETURN ? nil : failure("SSL_read")
  }

  private func end(_ handle: (Event) -> Void) {
    finish()
    handle(.ended)
  }

  /// For `SessionWire`: moves what is left of the wire into `room`.
  func readWire(into room: UnsafeMutableRawBufferPointer) -> Int {
    guard !isHandshakeTooLarge else { return 0 }
    let count = min(room.count, input.count)
    guard count > 0 else { return 0 }
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
    input = UnsafeRawBufferPointer(rebasing: input[count...])
    switch state {
    case .handshaking: handshakeByteCount += count
    case .established, .finished: break
    }
    return count
  }

  // MARK: - Writing

  /// For `SessionWire`: takes bytes for the wire.
  func writeWire(_ bytes: UnsafeRawBufferPointer) {
    hasSpoken = true
    buffers.append(bytes)
  }

  /// Encrypts `plaintext` for the wire, all of it. Nothing unless the session is established.
  package func send(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
    guard isEstablished, !plaintext.isEmpty else { return }
    ERR_clear_error()
    var written = 0
    guard SSL_write_ex(raw, plaintext.baseAddress, plaintext.count, &written) == 1, written == plaintext.count else {
      state = .finished
      throw failure("SSL_write")
    }
  }

  /// Says close_notify, where there is somebody to say it to; the session has ended then.
  package func finish() {
    switch state {
    case .established:
      state = .finished
      ERR_clear_error()
      SSL_shutdown(raw)
    case .handshaking, .finished:
      state = .finished
    }
  }

  // MARK: - Handshake

  private func handshake() throws(TLSError) -> Bool {
    ERR_clear_error()
    let code = SSL_do_handshake(raw)
    if code == 1 {
      state = .established
      try checkProtocol()
      return true
    }
    if SSL_get_error(raw, code) == SSL_ERROR_WANT_READ { return false }
    state = .finished
    throw failure("SSL_do_handshake")
  }

  /// A server has seen to it; a client learns only now what the server has chosen.
  private func checkProtocol() throws(TLSError) {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(raw, &name, &count)
    guard UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual(ProtocolChoice.h2) else {
      finish()
      throw .noCommonProtocol
    }
  }

  /// Asks the server for `name` (RFC 6066, not for addresses) and makes its certificate be for it (RFC 6125).
  private func expect(_ name: String) throws(TLSError) {
    if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(raw), name) == 1 { return }
    ERR_clear_error()
    SSL_set_hostflags(raw, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    var bytes = Array(name.utf8CString)
    guard !name.utf8.contains(0), SSL_set1_host(raw, name) == 1,
      SSL_ctrl(raw, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &bytes) == 1
    else {
      ERR_clear_error()
      throw .failed("not a name of a server: \(name)")
    }
  }

  // MARK: - What went wrong

  var isHandshakeTooLarge: Bool {
    handshakeByteCount > (hasSpoken ? Self.handshakeByteLimit : Self.helloByteLimit)
  }

  private func failure(_ call: StaticString) -> TLSError {
    if hasNoCommonProtocol { return cleared(.noCommonProtocol) }
    if isHandshakeTooLarge { return cleared(.handshakeTooLarge) }
    let code = ERR_peek_last_error()
    guard ERR_GET_LIB(code) == ERR_LIB_SSL else { return .ofLibrary(call) }
    switch ERR_GET_REASON(code) {
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      let result = SSL_get_verify_result(raw)
      return cleared(.certificateRefused(String(cString: X509_verify_cert_error_string(result))))
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return cleared(.certificateRefused("there is none"))
    case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_WRONG_VERSION_NUMBER:
      return cleared(.notTLS)
    case SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL:
      return cleared(.noCommonProtocol)
    case _:
      return .ofLibrary(call)
    }
  }

  private func cleared(_ error: TLSError) -> TLSError {
    ERR_clear_error()
    return error
  }

  /// The session that a callback of OpenSSL is about.
  static func of(_ ssl: OpaquePointer?) -> TLSSession? {
    SessionWire.session(of: SSL_get_rbio(ssl))
  }

  // MARK: - The peer

  /// The peer's certificate, which was judged good; `nil` where it has shown none. Parsed anew at each call.
  package var peerCertificate: TLSPeerCertificate? {
    guard SSL_get_verify_result(raw) == X509_V_OK, let certificate = SSL_get1_peer_certificate(raw) else { return nil }
    defer { X509_free(certificate) }
    return TLSPeerCertificate(certificate)
  }
}
