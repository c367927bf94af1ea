/// Whom a client's certificate is for; verified by the transport (G-026).
package struct PeerCertificate: Hashable, Sendable {
  /// The distinguished name as in RFC 2253, such as `CN=hub-7,O=Example`; may be empty.
  package let subject: String
  /// Subject alternative names, in the certificate's order.
  package let dnsNames: [String]
  package let uris: [String]

  package init(subject: String, dnsNames: [String], uris: [String]) {
    self.subject = subject
    self.dnsNames = dnsNames
    self.uris = uris
  }
}
