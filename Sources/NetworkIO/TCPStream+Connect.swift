import CUV
import Glibc

extension TCPStream {
  /// Opens a connection. On the loop's thread, `completion` too, and never within this call.
  ///
  /// The stream that `completion` gets has no delegate and does not read yet. A loop that ends meanwhile fails the
  /// attempt with `ECANCELED`.
  package static func connect(
    loop: EventLoop, to address: SocketAddress,
    completion: @escaping (Result<TCPStream, NetworkError>) -> Void
  ) {
    _ = startConnecting(loop: loop, to: address, completion: completion)
  }

  /// As `connect`, for those who may give up.
  ///
  /// - Returns: the stream to be. To close it before `completion` is called ends the attempt, with `ECANCELED` too.
  package static func startConnecting(
    loop: EventLoop, to address: SocketAddress,
    completion: @escaping (Result<TCPStream, NetworkError>) -> Void
  ) -> TCPStream {
    let stream = TCPStream(unconnectedOn: loop)
    let attempt = ConnectAttempt(stream: stream, completion: completion)
    attempt.start(address)
    return stream
  }
}

/// One attempt to connect. libuv holds a reference from `start` until the callback.
private final class ConnectAttempt {
  private let stream: TCPStream
  private let completion: (Result<TCPStream, NetworkError>) -> Void
  private let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)

  init(stream: TCPStream, completion: @escaping (Result<TCPStream, NetworkError>) -> Void) {
    self.stream = stream
    self.completion = completion
  }

  deinit {
    request.deallocate()
  }

  func start(_ address: SocketAddress) {
    if address.path != nil {
      let code = startLocally(address)
      return stream.loop.executeLater { self.finish(code) }
    }
    let held = Unmanaged.passRetained(self)
    request.pointee.data = held.toOpaque()
    let code = address.withSystemAddress { system, _ in
      uv_tcp_connect(request, stream.handle, system) { ConnectAttempt.finish($0, $1) }
    }
    if code < 0 {
      held.release()
      stream.loop.executeLater { self.finish(code) }
    }
  }

  /// Connects to a unix socket, which succeeds or fails without waiting: `EAGAIN` where the listener has no room.
  private func startLocally(_ address: SocketAddress) -> CInt {
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { return -errno }
    var code = address.withSystemAddress { Glibc.connect(descriptor, $0, $1) }
    code = code < 0 ? -errno : uv_tcp_open(stream.handle, descriptor)
    if code < 0 { close(descriptor) }
    return code
  }

  private static func finish(_ request: UnsafeMutablePointer<uv_connect_t>?, _ status: CInt) {
    guard let context = request?.pointee.data else { return }
    Unmanaged<ConnectAttempt>.fromOpaque(context).takeRetainedValue().finish(status)
  }

  private func finish(_ status: CInt) {
    let code = status >= 0 && stream.isClosing ? CInt(UV_ECANCELED.rawValue) : status
    if code < 0 {
      stream.close()
      completion(.failure(NetworkError(call: "connect", code: code)))
    } else {
      // Means nothing to a unix socket, which refuses it.
      uv_tcp_nodelay(stream.handle, 1)
      completion(.success(stream))
    }
  }
}
