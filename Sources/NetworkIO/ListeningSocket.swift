import Glibc

/// A bound socket that the kernel takes connections for.
struct ListeningSocket {
  /// Where it listens, with the port that was picked.
  let address: SocketAddress
  let descriptor: CInt
  /// Only of a unix socket.
  let file: SocketFile?

  init(on address: SocketAddress, backlog: CInt, isIPv6Only: Bool, fileMode: UInt32) throws(NetworkError) {
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = try checkSystem(socket(address.family, type, 0), "socket")
    self.descriptor = descriptor
    do throws(NetworkError) {
      if let path = address.path {
        file = try SocketFile.listen(descriptor, on: address, path: path, mode: fileMode, backlog: backlog)
        self.address = address
      } else {
        file = nil
        try Self.listen(descriptor, on: address, backlog: backlog, isIPv6Only: isIPv6Only)
        self.address = try Self.localAddress(of: descriptor)
      }
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func listen(
    _ descriptor: CInt, on address: SocketAddress, backlog: CInt, isIPv6Only: Bool
  ) throws(NetworkError) {
    try set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    // Said either way, since the system's own choice differs from machine to machine.
    if address.isIPv6 { try set(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, isIPv6Only ? 1 : 0) }
    // The sockets accepted have it too: a peer that is gone without a word is found some day, whatever the layers above
    // ask of it (G-159).
    try set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    try checkSystem(address.withSystemAddress { bind(descriptor, $0, $1) }, "bind")
    try checkSystem(Glibc.listen(descriptor, backlog), "listen")
  }

  private static func set(
    _ descriptor: CInt, _ level: CInt, _ option: CInt, _ value: CInt
  ) throws(NetworkError) {
    var value = value
    let size = socklen_t(MemoryLayout<CInt>.size)
    try checkSystem(setsockopt(descriptor, level, option, &value, size), "setsockopt")
  }

  private static func localAddress(of descriptor: CInt) throws(NetworkError) -> SocketAddress {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &storage) { storage in
      let address = UnsafeMutableRawPointer(storage).assumingMemoryBound(to: sockaddr.self)
      return getsockname(descriptor, address, &length)
    }
    try checkSystem(code, "getsockname")
    guard let address = SocketAddress(storage) else { throw NetworkError(call: "getsockname", code: -EAFNOSUPPORT) }
    return address
  }
}
