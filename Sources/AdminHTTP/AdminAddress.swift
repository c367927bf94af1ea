internal import Glibc

/// `127.0.0.1:9090` or `[::1]:9090`; port 0 picks one.
package struct AdminAddress: Hashable, Sendable, CustomStringConvertible {
  private let host: String
  private let isIPv6: Bool
  package internal(set) var port: UInt16

  /// `nil` where it is not a numeric address and a port.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    let host = text[..<colon]
    isIPv6 = host.first == "["
    guard isIPv6 == (host.last == "]") else { return nil }
    self.host = String(isIPv6 ? host.dropFirst().dropLast() : host)
    self.port = port
    guard withSocketAddress({ $0 != nil }) else { return nil }
  }

  package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether only this machine reaches it.
  package var isLoopback: Bool { isIPv6 ? host == "::1" : host.hasPrefix("127.") }

  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>?) -> Result) -> Result {
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return body(nil) }
      return withUnsafePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) } }
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return body(nil) }
    return withUnsafePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) } }
  }
}
