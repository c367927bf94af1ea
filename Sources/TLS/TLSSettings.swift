/// Versions of the protocol that are spoken: RFC 5246 and RFC 8446. Older ones are not (G-025).
package enum TLSVersion: Hashable, Sendable, CaseIterable {
  case tls12, tls13
}

/// What a server shows and demands.
package struct TLSServerSettings: Sendable {
  /// The certificate, then those that lead to its root.
  package var chain: PEMFile
  package var key: PEMFile
  /// Who may have signed a client's certificate; `nil`: clients are not asked for one.
  package var clientAuthorities: PEMFile?
  /// Whether a client without a certificate is refused; else it may have none, but no bad one.
  package var demandsClientCertificate: Bool
  package var oldest = TLSVersion.tls12
  package var newest = TLSVersion.tls13

  package init(
    chain: PEMFile, key: PEMFile, clientAuthorities: PEMFile? = nil, demandsClientCertificate: Bool = false
  ) {
    self.chain = chain
    self.key = key
    self.clientAuthorities = clientAuthorities
    self.demandsClientCertificate = demandsClientCertificate
  }
}

/// What a client shows and demands.
package struct TLSClientSettings: Sendable {
  /// Who may have signed the server's certificate; `nil`: whom the system trusts.
  package var authorities: PEMFile?
  /// The client's own certificate and key, for servers that ask for one.
  package var identity: (chain: PEMFile, key: PEMFile)?
  /// Offered by ALPN, the best first; `h2` must come of it.
  package var protocols = ["h2"]
  package var oldest = TLSVersion.tls12
  package var newest = TLSVersion.tls13

  package init(authorities: PEMFile? = nil, identity: (chain: PEMFile, key: PEMFile)? = nil) {
    self.authorities = authorities
    self.identity = identity
  }
}
