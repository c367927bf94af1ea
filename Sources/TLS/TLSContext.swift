private import COpenSSL

/// Certificate, key and rules of one side, checked and ready, for any number of sessions on any threads. Immutable: new
/// certificates make a new context, and sessions keep the one that they began with.
///
/// `@unchecked Sendable`: OpenSSL counts references to a context atomically, and nothing changes it after `init`.
package final class TLSContext: @unchecked Sendable {
  enum Role {
    case server, client
  }

  let role: Role
  /// An `SSL_CTX`.
  let raw: OpaquePointer

  /// - Throws: `unusable`, naming the file and what is wrong with it.
  package init(_ settings: TLSServerSettings) throws(TLSError) {
    role = .server
    raw = try Self.make(role, oldest: settings.oldest, newest: settings.newest)
    try ContextFiles(raw).use(chain: settings.chain, key: settings.key)
    SSL_CTX_set_client_hello_cb(raw, { ssl, alert, _ in ProtocolChoice.checkHello(ssl, alert) }, nil)
    SSL_CTX_set_alpn_select_cb(
      raw, { ssl, out, outCount, list, count, _ in ProtocolChoice.choose(ssl, out, outCount, list, count) }, nil)
    if let authorities = settings.clientAuthorities {
      try askForCertificates(of: authorities, demandsOne: settings.demandsClientCertificate)
    } else {
      // One ticket: more cost time at each handshake, and our clients make one connection at a time.
      SSL_CTX_set_num_tickets(raw, 1)
    }
  }

  /// - Throws: `unusable`, naming the file and what is wrong with it.
  package init(_ settings: TLSClientSettings) throws(TLSError) {
    role = .client
    raw = try Self.make(role, oldest: settings.oldest, newest: settings.newest)
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nil)
    if let authorities = settings.authorities {
      try ContextFiles(raw).trust(authorities)
    } else if SSL_CTX_set_default_verify_paths(raw) != 1 {
      throw .ofLibrary("SSL_CTX_set_default_verify_paths")
    }
    if let identity = settings.identity { try ContextFiles(raw).use(chain: identity.chain, key: identity.key) }
    let list = settings.protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
    // Unlike all others, this one says 0 for success.
    guard list.isEmpty || SSL_CTX_set_alpn_protos(raw, list, UInt32(clamping: list.count)) == 0 else {
      throw .ofLibrary("SSL_CTX_set_alpn_protos")
    }
  }

  deinit { SSL_CTX_free(raw) }

  /// A client's certificate is judged on each connection: no session is resumed by what an earlier one has shown.
  private func askForCertificates(of authorities: PEMFile, demandsOne: Bool) throws(TLSError) {
    try ContextFiles(raw).trust(authorities, tellingClients: true)
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | (demandsOne ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nil)
    SSL_CTX_set_options(raw, copenssl_option_no_ticket())
    SSL_CTX_set_num_tickets(raw, 0)
  }

  // MARK: - Rules of both sides

  /// RFC 9113 §9.2.2 forbids the others of TLS 1.2: ephemeral key exchange and authenticated encryption only (G-025).
  private static let suites = "ECDHE+AESGCM:ECDHE+CHACHA20"
  /// Keys of RSA from 2,048 bits, signatures from SHA-256.
  private static let securityLevel: CInt = 2
  private static let chainDepth: CInt = 8
  /// Bytes of a peer's chain of certificates.
  private static let chainByteLimit = 32 << 10

  private static func make(_ role: Role, oldest: TLSVersion, newest: TLSVersion) throws(TLSError) -> OpaquePointer {
    ERR_clear_error()
    let method =
      switch role {
      case .server: TLS_server_method()
      case .client: TLS_client_method()
      }
    guard let raw = SSL_CTX_new(method) else { throw .ofLibrary("SSL_CTX_new") }
    SSL_CTX_set_security_level(raw, securityLevel)
    SSL_CTX_set_options(raw, copenssl_options())
    SSL_CTX_set_verify_depth(raw, chainDepth)
    // Buffers go when they are empty: an idle connection costs less than half (G-110).
    let isSet =
      SSL_CTX_ctrl(raw, SSL_CTRL_SET_MIN_PROTO_VERSION, oldest.number, nil) == 1
      && SSL_CTX_ctrl(raw, SSL_CTRL_SET_MAX_PROTO_VERSION, newest.number, nil) == 1
      && SSL_CTX_set_cipher_list(raw, suites) == 1
    SSL_CTX_ctrl(raw, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    SSL_CTX_ctrl(raw, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
    SSL_CTX_ctrl(raw, SSL_CTRL_SET_MAX_CERT_LIST, chainByteLimit, nil)
    guard isSet else {
      SSL_CTX_free(raw)
      throw .ofLibrary("SSL_CTX_set_cipher_list")
    }
    return raw
  }
}

extension TLSVersion {
  fileprivate var number: Int {
    switch self {
    case .tls12: Int(TLS1_2_VERSION)
    case .tls13: Int(TLS1_3_VERSION)
    }
  }
}
