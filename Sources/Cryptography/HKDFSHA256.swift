import COpenSSL

/// HKDF-SHA256 (RFC 5869): makes independent keys from one secret.
package enum HKDFSHA256 {
  /// - Parameters:
  ///   - secret: The input keying material.
  ///   - salt: Empty stands for 32 zero bytes (RFC 5869 §2.2).
  ///   - info: What the key is for; different values give independent keys.
  ///   - byteCount: 1...8160.
  package static func derive(
    secret: [UInt8], salt: [UInt8] = [], info: [UInt8], byteCount: Int
  ) throws(CryptographyError) -> [UInt8] {
    let algorithm = try check(EVP_KDF_fetch(nil, "HKDF", nil), "EVP_KDF_fetch")
    defer { EVP_KDF_free(algorithm) }
    let context = try check(EVP_KDF_CTX_new(algorithm), "EVP_KDF_CTX_new")
    defer { EVP_KDF_CTX_free(context) }
    var secret = secret
    var salt = salt
    var info = info
    var key = [UInt8](repeating: 0, count: byteCount)
    let code = withOctets(OSSL_KDF_PARAM_KEY, &secret) { secret in
      withOctets(OSSL_KDF_PARAM_SALT, &salt) { salt in
        withOctets(OSSL_KDF_PARAM_INFO, &info) { info in
          withSHA256Parameters(adding: secret + salt + info) { EVP_KDF_derive(context, &key, byteCount, $0) }
        }
      }
    }
    try check(code, "EVP_KDF_derive")
    return key
  }

  /// One octet parameter, none where there are no bytes.
  private static func withOctets<Result>(
    _ name: String, _ bytes: inout [UInt8], _ body: ([OSSL_PARAM]) -> Result
  ) -> Result {
    guard !bytes.isEmpty else { return body([]) }
    return name.withCString { name in
      bytes.withUnsafeMutableBytes { body([OSSL_PARAM_construct_octet_string(name, $0.baseAddress, $0.count)]) }
    }
  }
}
