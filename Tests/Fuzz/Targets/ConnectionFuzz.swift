import GRPC
import GRPCTransport
import Glibc
import NetworkIO

/// The whole server from the socket to the handlers: bytes in any split, then the end of the stream. It must answer or
/// close, and give everything back, within seconds.
///
/// The first byte: whether a preface and SETTINGS go before the rest (lowest bit). The second: bytes in each write.
@c(fuzz_connection) public func fuzzConnection(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(data, count)
  let habits = input.byte()
  let cut = Int(input.byte())
  let socket = FuzzedServer.shared.connect()
  defer { close(socket) }
  if habits & 1 != 0 {
    FuzzedServer.preface.withUnsafeBytes { send(socket, $0, in: .max) }
  }
  send(socket, input.rest, in: cut == 0 ? .max : cut * 8)
  shutdown(socket, CInt(SHUT_WR))
  if !drain(socket) { violated("a connection ends with its client's bytes") }
  return 0
}

private func send(_ socket: CInt, _ bytes: UnsafeRawBufferPointer, in pieceByteCount: Int) {
  var rest = bytes
  while !rest.isEmpty {
    let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(pieceByteCount))
    // The server closes where it has seen enough.
    guard Glibc.send(socket, piece.baseAddress, piece.count, CInt(MSG_NOSIGNAL)) == piece.count else { return }
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
  }
}

/// Reads to the end. Returns `false` where that does not come.
private func drain(_ socket: CInt) -> Bool {
  withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
    while true {
      let count = recv(socket, buffer.baseAddress, buffer.count, 0)
      // libFuzzer's own alarm interrupts.
      if count > 0 || (count < 0 && errno == EINTR) { continue }
      return count == 0 || errno == ECONNRESET
    }
  }
}

/// A server for the life of the process. `@unchecked Sendable`: used by the fuzzer's one thread.
private final class FuzzedServer: @unchecked Sendable {
  static let shared = FuzzedServer()
  /// Client preface, SETTINGS without an entry, the acknowledgement of the server's.
  static let preface: [UInt8] =
    Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0] + [0, 0, 0, 4, 1, 0, 0, 0, 0]

  private let path: String
  private let server: GRPCServer

  private init() {
    path = "/tmp/energykit-fuzz-\(getpid()).sock"
    do {
      guard let address = SocketAddress("unix:" + path) else { violated("the path is an address") }
      server = try GRPCServer(
        GRPCServer.Configuration(
          listeners: [.init(address: address)], loops: [try EventLoop(name: "fuzzed")],
          makeService: { _ in Service(router: Router(fuzzedMethods())) }))
    } catch {
      violated("the server starts: \(error)")
    }
    atexit { unlink("/tmp/energykit-fuzz-\(getpid()).sock") }
  }

  func connect() -> CInt {
    let handle = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(handle, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafeBytes(of: &address) {
      Glibc.connect(handle, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    if handle < 0 || result != 0 { violated("the server takes connections: errno \(errno)") }
    return handle
  }
}

/// `/f/U` echoes a message, `/f/A` does so in a task, `/f/B` echoes a stream of them, `/f/R` refuses.
private func fuzzedMethods() -> [Method] {
  let decode: @Sendable (UnsafeRawBufferPointer) -> [UInt8] = { Array($0) }
  return [
    Method(
      path: "/f/U",
      handler: .oneRequest { call, message in
        call.setInitialMetadata(call.metadata)
        call.send(byteCount: message.count) { $0.copyMemory(from: message) }
        call.finish(Status(.ok, "\u{7}%", trailers: call.metadata))
      }, maximumRequestByteCount: 4096, keepsMetadata: true),
    Method(path: "/f/A", handler: .asyncUnary(decoding: decode) { _, request in request }),
    Method(
      path: "/f/B",
      handler: .asyncBidirectional(decoding: decode) { call, requests in
        for try await request in requests { try await call.send(request) }
      }),
    Method(
      path: "/f/R", handler: .asyncBidirectional(decoding: decode) { _, _ in throw Status(.permissionDenied, "no") }),
  ]
}
