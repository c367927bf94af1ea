import COpenSSL

/// Puts what is in files into an `SSL_CTX`.
struct ContextFiles {
  private let raw: OpaquePointer

  init(_ raw: OpaquePointer) { self.raw = raw }

  // MARK: - Our own certificate

  func use(chain: PEMFile, key: PEMFile) throws(TLSError) {
    let certificates = try certificates(in: chain)
    defer { for certificate in certificates { X509_free(certificate) } }
    ERR_clear_error()
    guard SSL_CTX_use_certificate(raw, certificates.first) == 1 else {
      throw chain.unusable(TLSError.takeLibraryReason() ?? "cannot be used")
    }
    for certificate in certificates.dropFirst() {
      // SSL_CTX_add1_chain_cert, which takes a reference of its own.
      guard SSL_CTX_ctrl(raw, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate)) == 1 else {
        throw chain.unusable(TLSError.takeLibraryReason() ?? "its chain cannot be used")
      }
    }
    try use(key, of: chain)
  }

  private func use(_ key: PEMFile, of chain: PEMFile) throws(TLSError) {
    guard let parsed = try privateKey(in: key) else { throw key.unusable(reasonWithoutKey(key)) }
    defer { EVP_PKEY_free(parsed) }
    ERR_clear_error()
    if SSL_CTX_use_PrivateKey(raw, parsed) == 1, SSL_CTX_check_private_key(raw) == 1 { return }
    let code = ERR_GET_REASON(ERR_peek_last_error())
    let isMismatch = code == X509_R_KEY_VALUES_MISMATCH || code == X509_R_KEY_TYPE_MISMATCH
    let reason = TLSError.takeLibraryReason() ?? "cannot be used"
    throw key.unusable(isMismatch ? "is not the key of the certificate in \(chain.name)" : reason)
  }

  private func privateKey(in file: PEMFile) throws(TLSError) -> OpaquePointer? {
    // Without a callback of ours OpenSSL would ask at the terminal for the passphrase.
    try withBIO(file) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
  }

  private func reasonWithoutKey(_ file: PEMFile) -> String {
    ERR_clear_error()
    let isEncrypted = String(decoding: file.bytes, as: UTF8.self).contains("ENCRYPTED")
    return isEncrypted ? "the key has a passphrase; one without is needed" : "holds no private key in PEM"
  }

  // MARK: - Whom to trust

  /// - Parameter tellingClients: Whether a server names them when it asks for a certificate.
  func trust(_ authorities: PEMFile, tellingClients: Bool = false) throws(TLSError) {
    let certificates = try certificates(in: authorities)
    defer { for certificate in certificates { X509_free(certificate) } }
    let store = SSL_CTX_get_cert_store(raw)
    for certificate in certificates {
      let isAdded = X509_STORE_add_cert(store, certificate) == 1
      guard isAdded, !tellingClients || SSL_CTX_add_client_CA(raw, certificate) == 1 else {
        throw authorities.unusable(TLSError.takeLibraryReason() ?? "cannot be used")
      }
    }
    // An intermediate authority in the file is trusted without its root.
    X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
  }

  // MARK: - PEM

  /// All certificates of a file, in order, each to be freed; at least one.
  private func certificates(in file: PEMFile) throws(TLSError) -> [OpaquePointer] {
    ERR_clear_error()
    let found = try withBIO(file) { bio in
      var found: [OpaquePointer] = []
      while let certificate = PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) { found.append(certificate) }
      return found
    }
    // That nothing more begins is how the end looks.
    let code = ERR_peek_last_error()
    let isEnd = ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE
    let reason = TLSError.takeLibraryReason()
    if isEnd, !found.isEmpty { return found }
    for certificate in found { X509_free(certificate) }
    throw file.unusable(isEnd ? "holds no certificate in PEM" : "holds a bad certificate: \(reason ?? "")")
  }

  private func withBIO<Result>(_ file: PEMFile, _ body: (OpaquePointer) -> Result) throws(TLSError) -> Result {
    let result = file.bytes.withUnsafeBytes { bytes -> Result? in
      guard let bio = BIO_new_mem_buf(bytes.baseAddress, CInt(clamping: bytes.count)) else { return nil }
      defer { BIO_free(bio) }
      return body(bio)
    }
    guard let result else { throw file.unusable("is empty") }
    return result
  }
}
