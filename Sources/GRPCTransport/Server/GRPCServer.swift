package import GRPC
package import NetworkIO
import Synchronization
package import TLS

/// A gRPC server on some event loops, over TLS or in the clear (h2c with prior knowledge).
///
/// The first loop accepts, and each connection goes to the loop that has the fewest; there it stays, and its calls are
/// handled there (docs/architecture.md, Threads). To be ended by `shutdown`.
package final class GRPCServer: Sendable {
  package struct Configuration: Sendable {
    package struct Listener: Sendable {
      package var address: SocketAddress
      package var security: ListenerSecurity
      /// Whether what comes in by it may use AdminService (docs/architecture.md, Callers).
      package var allowsAdmin: Bool
      /// Who may connect to a unix socket, as in chmod(2).
      package var fileMode: UInt32

      package init(
        address: SocketAddress, security: ListenerSecurity = .clear, allowsAdmin: Bool = false,
        fileMode: UInt32 = 0o660
      ) {
        self.address = address
        self.security = security
        self.allowsAdmin = allowsAdmin
        self.fileMode = fileMode
      }
    }

    package var listeners: [Listener]
    /// At least one; they outlive the server.
    package var loops: [EventLoop]
    package var limits: CallLimits
    /// Told why a TLS connection has ended that should not have: a handshake that failed, mostly. On any loop.
    package var onSecurityProblem: @Sendable (_ peer: String, TLSError) -> Void
    /// Told of each call that has ended, on its loop; `nil`: nobody is, which spares the calls the telling.
    package var onCall: (@Sendable (CallRecord) -> Void)?
    package var policy: ConnectionPolicy
    /// Makes what one loop serves; called once on each, before its first connection.
    package var makeService: @Sendable (any CallExecutor) -> Service

    package init(
      listeners: [Listener], loops: [EventLoop], limits: CallLimits = CallLimits(),
      policy: ConnectionPolicy = ConnectionPolicy(), onCall: (@Sendable (CallRecord) -> Void)? = nil,
      onSecurityProblem: @escaping @Sendable (_ peer: String, TLSError) -> Void = { _, _ in },
      makeService: @escaping @Sendable (any CallExecutor) -> Service
    ) {
      self.listeners = listeners
      self.loops = loops
      self.limits = limits
      self.onCall = onCall
      self.onSecurityProblem = onSecurityProblem
      self.policy = policy
      self.makeService = makeService
    }
  }

  private let listeners: [TCPListener]
  private let homes: [ServerLoop]

  /// Makes the services and listens; returns when connections are taken.
  ///
  /// - Throws: for the first address that cannot be had; nothing listens then.
  package init(_ configuration: Configuration) throws(ListenError) {
    precondition(!configuration.loops.isEmpty, "a server needs an event loop")
    let budget = ServerBudget(limit: configuration.limits.assembledBytesPerServer)
    let census = ConnectionCensus(configuration.policy)
    let loads = configuration.loops.map { _ in WorkLoad() }
    homes = configuration.loops.enumerated().map { index, loop in
      ServerLoop(
        loop: loop, limits: configuration.limits, policy: configuration.policy, budget: budget, census: census,
        work: WorkLimit(index, of: loads, limit: configuration.limits.callsPerServer), onCall: configuration.onCall,
        onSecurityProblem: configuration.onSecurityProblem)
    }
    for home in homes {
      // Before any connection, since a loop runs its work in order.
      home.loop.execute { home.start(configuration.makeService(home.loop)) }
    }
    listeners = try Self.listen(
      configuration, Acceptor(homes: homes, limit: configuration.limits.connections, census: census))
  }

  /// Where it listens, in the order of the configuration, with the ports that were picked.
  package var addresses: [SocketAddress] { listeners.map(\.localAddress) }

  private static func listen(
    _ configuration: Configuration, _ acceptor: Acceptor
  ) throws(ListenError) -> [TCPListener] {
    var listeners: [TCPListener] = []
    for wanted in configuration.listeners {
      do throws(NetworkError) {
        listeners.append(try listen(at: wanted, configuration, acceptor))
      } catch {
        for listener in listeners { listener.close() }
        throw ListenError(address: wanted.address, reason: error)
      }
    }
    return listeners
  }

  private static func listen(
    at listener: Configuration.Listener, _ configuration: Configuration, _ acceptor: Acceptor
  ) throws(NetworkError) -> TCPListener {
    let address = listener.address
    // `[::]` takes IPv4 too, unless 0.0.0.0 is asked for beside it.
    let sharesPort = configuration.listeners.contains {
      $0.address.port == address.port && $0.address.isWildcard && !$0.address.isIPv6
    }
    return try TCPListener(
      loop: configuration.loops[0], address: address, backlog: 1_024,
      isIPv6Only: address.isWildcard && address.port != 0 && sharesPort, fileMode: listener.fileMode
    ) { descriptor, peer in
      acceptor.take(descriptor, peer: peer, by: listener)
    }
  }

  /// What the server has done so far: each loop is asked, so a loop that is stuck keeps the answer waiting (G-137).
  package func figures() async -> ServerFigures {
    var sum = ServerFigures()
    for home in homes { sum.add(await home.figuresNow()) }
    return sum
  }

  /// Ends the server in good order (G-100...103): takes no more connections, tells the clients, lets calls finish, ends
  /// open streams with UNAVAILABLE over the time, and closes what is left soon after it. An idle server needs a round
  /// trip. A second call with a shorter time hurries the first.
  package func shutdown(graceSeconds: UInt64) async {
    for listener in listeners { listener.close() }
    await withTaskGroup(of: Void.self) { group in
      for home in homes { group.addTask { await home.drained(graceMilliseconds: graceSeconds * 1_000) } }
    }
  }
}

extension ServerLoop {
  fileprivate func figuresNow() async -> ServerFigures {
    await withCheckedContinuation { continuation in
      loop.execute { continuation.resume(returning: self.snapshot) }
    }
  }

  fileprivate func drained(graceMilliseconds: UInt64) async {
    await withCheckedContinuation { continuation in
      loop.execute { self.drain(graceMilliseconds: graceMilliseconds) { continuation.resume() } }
    }
  }
}
