internal import Locking
package import TLS

/// A server's certificate, key and authorities as they are in files now: read at the start and again when the operator
/// says so. Connections keep what they began with.
package final class ServerCertificates: Sendable {
  private struct Contexts {
    /// A client may show a certificate where there are authorities, and need not.
    let plain: TLSContext
    /// A client must show one; `nil` without authorities to judge it.
    let mutual: TLSContext?
  }

  private let chainPath: String
  private let keyPath: String
  private let authoritiesPath: String?
  private let contexts: Lock<Contexts>

  /// - Parameter chainPath: PEM: the certificate, then those that lead to its root.
  /// - Parameter keyPath: PEM, without a passphrase.
  /// - Parameter authoritiesPath: PEM: who may have signed a client's certificate; `nil`: clients are not asked.
  package init(chainPath: String, keyPath: String, authoritiesPath: String? = nil) throws(TLSError) {
    self.chainPath = chainPath
    self.keyPath = keyPath
    self.authoritiesPath = authoritiesPath
    contexts = Lock(try Self.read(chainPath, keyPath, authoritiesPath))
  }

  /// Reads the files anew, for connections that come from now on. From any thread.
  ///
  /// - Throws: what is wrong with a file; everything stays as it was then.
  package func reload() throws(TLSError) {
    let read = try Self.read(chainPath, keyPath, authoritiesPath)
    contexts.withLock { $0 = read }
  }

  var plain: TLSContext { contexts.withLock { $0.plain } }
  var mutual: TLSContext? { contexts.withLock { $0.mutual } }

  private static func read(_ chain: String, _ key: String, _ authorities: String?) throws(TLSError) -> Contexts {
    var settings = TLSServerSettings(chain: try PEMFile(reading: chain), key: try PEMFile(reading: key))
    guard let authorities else { return Contexts(plain: try TLSContext(settings), mutual: nil) }
    settings.clientAuthorities = try PEMFile(reading: authorities)
    let plain = try TLSContext(settings)
    settings.demandsClientCertificate = true
    return Contexts(plain: plain, mutual: try TLSContext(settings))
  }
}

/// How a listener's connections are secured.
package enum ListenerSecurity: Sendable {
  /// HTTP/2 with prior knowledge (h2c).
  case clear
  /// TLS; a client's certificate is judged where it shows one and there are authorities for it.
  case tls(ServerCertificates)
  /// TLS; a client without a good certificate is refused. The certificates have authorities.
  case mutualTLS(ServerCertificates)

  /// The context for a connection that comes now; `nil`: none is needed.
  var context: TLSContext? {
    switch self {
    case .clear: return nil
    case .tls(let certificates): return certificates.plain
    case .mutualTLS(let certificates):
      guard let context = certificates.mutual else { preconditionFailure("mutual TLS needs authorities for clients") }
      return context
    }
  }
}
