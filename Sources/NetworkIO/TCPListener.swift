import CUV
import Glibc

/// A listening socket, TCP or unix, which hands out the connections it accepts.
///
/// `@unchecked Sendable`: `handle`, `retry` and `isClosed` are touched on the loop's thread only (and in `deinit`), the
/// rest is immutable.
package final class TCPListener: LoopHandle, @unchecked Sendable {
  /// Where it listens, with the port that was picked.
  package let localAddress: SocketAddress

  private let loop: EventLoop
  private let descriptor: CInt
  private let file: SocketFile?
  private let onConnection: @Sendable (_ descriptor: CInt, _ peer: SocketAddress) -> Void
  private var handle: UnsafeMutablePointer<uv_poll_t>?
  private var retry: LoopTimer?
  private var isClosed = false

  /// How many connections are taken before the loop's other work has its turn.
  private static let acceptsPerTurn = 64
  /// How long nothing is accepted when the process or the system has no room for another connection.
  private static let pauseMilliseconds: UInt64 = 100

  /// Binds and listens, on the calling thread, which may be any; connections are accepted on the loop's from its next
  /// turn on. Another server's port is never shared (G-028); the file of a unix socket is replaced only where nothing
  /// answers there (G-027), and removed by `close()`.
  ///
  /// - Parameter backlog: How many connections the kernel keeps for us.
  /// - Parameter isIPv6Only: Whether `[::]` leaves IPv4 to another listener, instead of taking it too (G-029).
  /// - Parameter fileMode: Who may connect to a unix socket, as in chmod(2); before the first connection is taken.
  /// - Parameter onConnection: Called on the loop's thread; owns `descriptor` (non-blocking, close-on-exec) from then
  ///   on, and may carry it to another loop.
  /// - Throws: `EADDRINUSE`, `EADDRNOTAVAIL`, `EACCES`, or a shortage of descriptors; `EEXIST` where
  ///   another file has the path of a unix socket.
  package init(
    loop: EventLoop, address: SocketAddress, backlog: CInt, isIPv6Only: Bool = false, fileMode: UInt32 = 0o660,
    onConnection: @escaping @Sendable (_ descriptor: CInt, _ peer: SocketAddress) -> Void
  ) throws(NetworkError) {
    let socket = try ListeningSocket(on: address, backlog: backlog, isIPv6Only: isIPv6Only, fileMode: fileMode)
    localAddress = socket.address
    descriptor = socket.descriptor
    file = socket.file
    self.loop = loop
    self.onConnection = onConnection
    loop.execute { self.begin() }
  }

  deinit {
    // Only where the loop had ended before it could begin or close.
    if !isClosed { closeSocket() }
  }

  /// The file goes first: while it is there, somebody answers.
  private func closeSocket() {
    file?.remove()
    Glibc.close(descriptor)
  }

  /// Stops listening: at once on the loop's thread, soon on others. Connections already handed out stay. The file of a
  /// unix socket is gone when this returns.
  package func close() {
    file?.remove()
    if loop.isCurrent {
      closeNow()
    } else {
      loop.execute { self.closeNow() }
    }
  }

  private func closeNow() {
    guard !isClosed else { return }
    isClosed = true
    retry?.close()
    retry = nil
    if let handle {
      self.handle = nil
      uv_close(base(handle)) { _ = TCPListener.detach(from: $0) }
    }
    closeSocket()
  }

  // MARK: - Accepting

  /// Starts to accept, or goes on after a pause.
  private func begin() {
    guard !isClosed else { return }
    do throws(NetworkError) {
      let handle = try pollHandle()
      let readable = CInt(UV_READABLE.rawValue)
      try check(uv_poll_start(handle, readable) { handle, _, _ in TCPListener.of(handle).accept() }, "uv_poll_start")
    } catch {
      // The kernel has no memory to watch another descriptor.
      pause()
    }
  }

  private func pollHandle() throws(NetworkError) -> UnsafeMutablePointer<uv_poll_t> {
    if let handle { return handle }
    let handle = loop.makeHandle(of: uv_poll_t.self)
    do throws(NetworkError) {
      try check(uv_poll_init_socket(loop.raw, handle, descriptor), "uv_poll_init")
    } catch {
      loop.discardHandle(handle)
      throw error
    }
    attach(to: handle)
    self.handle = handle
    return handle
  }

  private func pause() {
    if let handle { uv_poll_stop(handle) }
    let timer = retry ?? LoopTimer(loop: loop) { self.begin() }
    retry = timer
    timer.start(afterMilliseconds: Self.pauseMilliseconds)
  }

  private func accept() {
    for _ in 0..<Self.acceptsPerTurn {
      guard !isClosed else { return }
      var storage = sockaddr_storage()
      let connection = acceptDescriptor(&storage)
      if connection >= 0 {
        hand(over: connection, from: storage)
        continue
      }
      switch AcceptFailure(errno: errno) {
      case .nothingWaits: return
      case .thisConnection: continue
      case .shortage: return pause()
      }
    }
  }

  private func acceptDescriptor(_ storage: inout sockaddr_storage) -> CInt {
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let flags = CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    return withUnsafeMutablePointer(to: &storage) { storage in
      let address = UnsafeMutableRawPointer(storage).assumingMemoryBound(to: sockaddr.self)
      return cuv_accept4(descriptor, address, &length, flags)
    }
  }

  private func hand(over connection: CInt, from storage: sockaddr_storage) {
    // Who connects to a unix socket has no address; its own stands for them.
    guard let peer = localAddress.path == nil ? SocketAddress(storage) : localAddress else {
      Glibc.close(connection)
      return
    }
    onConnection(connection, peer)
  }

  /// What a failed `accept4` means for the listener.
  private enum AcceptFailure {
    case nothingWaits
    /// The connection, or its network, failed before it was accepted (accept(2) has the list): try the next one.
    case thisConnection
    /// No descriptors or memory, or something unknown: the socket stays readable, so trying at once would spin.
    case shortage

    init(errno: CInt) {
      switch errno {
      case EAGAIN: self = .nothingWaits
      case EINTR, ECONNABORTED, EPERM, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
        ENETUNREACH:
        self = .thisConnection
      default: self = .shortage
      }
    }
  }
}
