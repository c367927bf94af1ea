import COpenSSL

/// A call of libcrypto that failed. Never carries keys or data.
package struct CryptographyError: Error, Hashable, Sendable {
  /// The function's name, for example `EVP_KDF_derive`.
  package let call: String
  /// The library's own words, empty where it has none.
  package let reason: String

  /// Takes the newest entry of this thread's error queue and empties the queue.
  init(call: StaticString) {
    self.call = "\(call)"
    self.reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) } ?? ""
    ERR_clear_error()
  }
}

/// Turns libcrypto's "1 is success" into an error that names the call.
func check(_ code: CInt, _ call: StaticString) throws(CryptographyError) {
  guard code == 1 else { throw CryptographyError(call: call) }
}

func check<Pointer>(_ pointer: Pointer?, _ call: StaticString) throws(CryptographyError) -> Pointer {
  guard let pointer else { throw CryptographyError(call: call) }
  return pointer
}
