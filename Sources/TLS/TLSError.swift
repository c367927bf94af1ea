private import COpenSSL

/// Why a certificate cannot be used, or a connection not be had. The words are for logs: they name what is wrong, and
/// never hold keys or data.
package enum TLSError: Error, Hashable, Sendable {
  /// A file with certificates or keys.
  case unusable(file: String, reason: String)
  /// The peer's certificate was judged and refused, or is missing where one is demanded.
  case certificateRefused(String)
  /// The two have no application protocol in common (RFC 7301): `h2` it must be (G-024).
  case noCommonProtocol
  /// The peer's first bytes are something else: HTTP without TLS, for example.
  case notTLS
  /// The peer's part of the handshake is larger than any honest one.
  case handshakeTooLarge
  /// Anything else, in OpenSSL's words; what the peer reports by an alert among it.
  case failed(String)
}

extension TLSError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unusable(let file, let reason): "\(file): \(reason)"
    case .certificateRefused(let reason): "the peer's certificate is refused: \(reason)"
    case .noCommonProtocol: "the peer does not offer h2 (ALPN)"
    case .notTLS: "the peer does not speak TLS"
    case .handshakeTooLarge: "the peer's handshake is too large"
    case .failed(let reason): reason
    }
  }
}

extension TLSError {
  /// Takes the newest entry of this thread's error queue, and empties the queue.
  static func ofLibrary(_ call: StaticString) -> TLSError {
    .failed(takeLibraryReason() ?? "\(call)")
  }

  /// OpenSSL's words for its newest error, after which it has none; `nil` if it had none.
  static func takeLibraryReason() -> String? {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    guard code != 0 else { return nil }
    return ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(String(code, radix: 16))"
  }
}
