import GRPCTransport
import TLS

extension Configuration {
  /// Reads the certificates, where listeners need some. A file that cannot be used is as bad as a wrong setting.
  func readCertificates() throws(UsageError) -> ServerCertificates? {
    guard let files = tlsFiles else { return nil }
    do throws(TLSError) {
      return try ServerCertificates(
        chainPath: files.certificate, keyPath: files.key, authoritiesPath: files.clientAuthority)
    } catch {
      throw UsageError("TLS: \(error)")
    }
  }

  /// - Parameter certificates: What `readCertificates` has given.
  func serverListeners(_ certificates: ServerCertificates?) -> [GRPCServer.Configuration.Listener] {
    listeners.map {
      .init(
        address: $0.address, security: Self.security($0.security, certificates), allowsAdmin: $0.allowsAdmin,
        fileMode: $0.fileMode)
    }
  }

  private static func security(
    _ wanted: ListenAddress.Security, _ certificates: ServerCertificates?
  ) -> ListenerSecurity {
    switch (wanted, certificates) {
    case (.clear, _): return .clear
    case (.tls, .some(let certificates)): return .tls(certificates)
    case (.mutualTLS, .some(let certificates)): return .mutualTLS(certificates)
    case (.tls, nil), (.mutualTLS, nil): preconditionFailure("certificates are read before a listener needs them")
    }
  }
}
