import Glibc
import NetworkIO

/// A plain blocking socket for bytes that no HTTP/2 library would send.
final class RawClient {
  private let descriptor: CInt

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      connect(
        descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    guard code == 0 else { throw Overdue() }
    var limit = timeval(tv_sec: 3, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  func write(_ bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  func finishWriting() {
    Glibc.shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Reads until the server closes; `nil` if it has not within three seconds.
  func readToEnd() -> [UInt8]? {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = recv(descriptor, &piece, piece.count, 0)
      if count == 0 { return all }
      if count < 0 { return errno == ECONNRESET ? all : nil }
      all += piece[..<count]
    }
  }
}
