import COpenSSL

/// HMAC-SHA256 (RFC 2104) under one key, prepared once.
///
/// `@unchecked Sendable`: `template` is keyed in `init` and only read afterwards; each code works on its own copy.
package final class HMACSHA256: @unchecked Sendable {
  package static let byteCount = 32

  private let template: OpaquePointer

  package init(key: [UInt8]) throws(CryptographyError) {
    let algorithm = try check(EVP_MAC_fetch(nil, "HMAC", nil), "EVP_MAC_fetch")
    defer { EVP_MAC_free(algorithm) }
    template = try check(EVP_MAC_CTX_new(algorithm), "EVP_MAC_CTX_new")
    let template = template
    let code = withSHA256Parameters { parameters in
      // An empty key needs a pointer too: NULL would mean "keep the key that is set".
      (key.isEmpty ? [0] : key).withUnsafeBufferPointer {
        EVP_MAC_init(template, $0.baseAddress, key.count, parameters)
      }
    }
    try check(code, "EVP_MAC_init")
  }

  deinit { EVP_MAC_CTX_free(template) }

  package func code(for message: [UInt8]) throws(CryptographyError) -> [UInt8] {
    let context = try check(EVP_MAC_CTX_dup(template), "EVP_MAC_CTX_dup")
    defer { EVP_MAC_CTX_free(context) }
    try check(EVP_MAC_update(context, message, message.count), "EVP_MAC_update")
    var code = [UInt8](repeating: 0, count: Self.byteCount)
    var length = 0
    try check(EVP_MAC_final(context, &code, &length, code.count), "EVP_MAC_final")
    return code
  }
}

/// The parameter list {digest: SHA256} in the form that libcrypto takes. The list keeps pointers to its names and values,
/// which therefore live until `body` has returned.
func withSHA256Parameters<Result>(
  adding others: [OSSL_PARAM] = [], _ body: (UnsafePointer<OSSL_PARAM>) -> Result
) -> Result {
  OSSL_MAC_PARAM_DIGEST.withCString { key in
    var value = Array("SHA256".utf8CString)
    return value.withUnsafeMutableBufferPointer { value in
      let digest = OSSL_PARAM_construct_utf8_string(key, value.baseAddress, 0)
      let list = [digest] + others + [OSSL_PARAM_construct_end()]
      return list.withUnsafeBufferPointer { list in
        guard let first = list.baseAddress else { preconditionFailure("a list with an end is not empty") }
        return body(first)
      }
    }
  }
}
