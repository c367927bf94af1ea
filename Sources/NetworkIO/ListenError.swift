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
    address.path == nil ? portDescription : fileDescription
  }

  private var fileDescription: String {
    switch reason.code {
    case UV_EADDRINUSE.rawValue: "\(address) is already in use by another program"
    case UV_EEXIST.rawValue: "\(address) is the path of a file that is no socket"
    case UV_ENOENT.rawValue, UV_ENOTDIR.rawValue: "\(address) lies in no directory"
    case UV_EACCES.rawValue, UV_EROFS.rawValue: "\(address) may not be made by this user"
    default: "\(address) cannot be listened on (\(reason))"
    }
  }

  private var portDescription: String {
    switch reason.code {
    case UV_EADDRINUSE.rawValue: "\(address) is already in use by another program"
    case UV_EADDRNOTAVAIL.rawValue: "\(address) is no address of this machine"
    case UV_EACCES.rawValue: "\(address) may not be used by this user: ports below 1024 need a right of their own"
    default: "\(address) cannot be listened on (\(reason))"
    }
  }
}
