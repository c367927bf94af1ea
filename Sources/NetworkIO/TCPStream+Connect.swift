import CUV

extension TCPStream {
  /// Opens a connection. On the loop's thread, `completion` too, and never within this call.
  ///
  /// The stream that `completion` gets has no delegate and does not read yet. A loop that ends meanwhile fails the
  /// attempt with `ECANCELED`.
  package static func connect(
    loop: EventLoop, to address: SocketAddress,
    completion: @escaping (Result<TCPStream, NetworkError>) -> Void
  ) {
    let attempt = ConnectAttempt(stream: TCPStream(unconnectedOn: loop), completion: completion)
    attempt.start(address)
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

  private static func finish(_ request: UnsafeMutablePointer<uv_connect_t>?, _ status: CInt) {
    guard let context = request?.pointee.data else { return }
    Unmanaged<ConnectAttempt>.fromOpaque(context).takeRetainedValue().finish(status)
  }

  private func finish(_ status: CInt) {
    if status < 0 {
      stream.close()
      completion(.failure(NetworkError(call: "connect", code: status)))
    } else {
      uv_tcp_nodelay(stream.handle, 1)
      completion(.success(stream))
    }
  }
}
