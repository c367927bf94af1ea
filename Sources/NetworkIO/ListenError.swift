internal import CUV

/// Why an address cannot be listened on, in words for whoever chose it.
package struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
  package let address: SocketAddress
  package let reason: NetworkError

  package init(address: SocketAddress, reason: NetworkError) {
    self.address = address
    self.reason = reason
  }

  package var description: String {
    switch reason.code {
    case UV_EADDRINUSE.rawValue: "\(address) is already in use by another program"
    case UV_EADDRNOTAVAIL.rawValue: "\(address) is no address of this machine"
    case UV_EACCES.rawValue: "\(address) may not be used by this user: ports below 1024 need a right of their own"
    default: "\(address) cannot be listened on (\(reason))"
    }
  }
}
