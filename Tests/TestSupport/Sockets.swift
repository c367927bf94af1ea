import Glibc
package import NetworkIO

/// A blocking socket outside any loop: the peer in tests.
package struct PeerSocket: Sendable {
  package let descriptor: CInt

  /// Connects to `address`, which must be IPv4 loopback.
  package init(connectingTo address: SocketAddress) throws(SystemFailure) {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if descriptor < 0 { throw SystemFailure(errno: errno) }
    self.descriptor = descriptor
    try connect(to: address)
  }

  /// Makes a socket that is not connected yet.
  package init() throws(SystemFailure) {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if descriptor < 0 { throw SystemFailure(errno: errno) }
  }

  init(owning descriptor: CInt) {
    self.descriptor = descriptor
  }

  package func connect(to address: SocketAddress) throws(SystemFailure) {
    var system = loopback(port: address.port)
    if withSystemAddress(&system, { Glibc.connect(descriptor, $0, $1) }) < 0 { throw SystemFailure(errno: errno) }
  }

  /// Up to `count` bytes; empty at the end of the stream; `nil` after an error such as a reset.
  package func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = Glibc.read(descriptor, &bytes, count)
    return got < 0 ? nil : Array(bytes.prefix(got))
  }

  /// Whether all was written.
  @discardableResult
  package func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      if count < 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Sends a FIN and goes on reading.
  package func finishWriting() {
    shutdown(descriptor, CInt(SHUT_WR))
  }

  /// Sends a RST.
  package func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    Glibc.close(descriptor)
  }

  package func close() {
    Glibc.close(descriptor)
  }
}

/// A system call that failed in a test's own set-up.
package struct SystemFailure: Error {
  package let errno: CInt
}

/// Two ends of a TCP connection over loopback.
///
/// - Returns: A non-blocking descriptor for a stream to adopt, and its blocking peer.
package func connectedSockets() throws -> (descriptor: CInt, peer: PeerSocket) {
  let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  defer { close(listener) }
  var address = loopback(port: 0)
  guard withSystemAddress(&address, { bind(listener, $0, $1) }) == 0, listen(listener, 1) == 0 else {
    throw SystemFailure(errno: errno)
  }
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  _ = withUnsafeMutablePointer(to: &address) {
    getsockname(listener, UnsafeMutableRawPointer($0).assumingMemoryBound(to: sockaddr.self), &length)
  }
  let peer = try PeerSocket()
  guard withSystemAddress(&address, { connect(peer.descriptor, $0, $1) }) == 0 else {
    throw SystemFailure(errno: errno)
  }
  let descriptor = accept(listener, nil, nil)
  guard descriptor >= 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw SystemFailure(errno: errno) }
  return (descriptor, peer)
}

private func loopback(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

private func withSystemAddress(
  _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
) -> CInt {
  withUnsafePointer(to: &address) {
    body(UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<sockaddr_in>.size))
  }
}
