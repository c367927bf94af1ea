package import NetworkIO

/// Where to listen, as people write it: `[admin+][tls+|mtls+]ADDRESS` (docs/operating.md, Settings), with the addresses
/// of `SocketAddress`.
package struct ListenAddress: Hashable, Sendable {
  package enum Security: Hashable, Sendable {
    case clear
    /// `tls+`
    case tls
    /// `mtls+`: a client certificate is demanded.
    case mutualTLS
  }

  package var address: SocketAddress
  package var security: Security
  /// `admin+`: AdminService is served there too.
  package var saysAdmin: Bool

  /// Returns `nil` for anything else.
  package init?(_ text: String) {
    var rest = text[...]
    saysAdmin = Self.take("admin+", from: &rest)
    if Self.take("tls+", from: &rest) {
      security = .tls
    } else if Self.take("mtls+", from: &rest) {
      security = .mutualTLS
    } else {
      security = .clear
    }
    guard let address = SocketAddress(String(rest)) else { return nil }
    self.address = address
  }

  private static func take(_ prefix: String, from text: inout Substring) -> Bool {
    guard text.hasPrefix(prefix) else { return false }
    text = text.dropFirst(prefix.count)
    return true
  }
}
