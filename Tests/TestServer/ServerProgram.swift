package import GRPC
internal import GRPCServices
internal import GRPCTransport
internal import Glibc
internal import Locking
internal import NetworkIO
internal import TLS

/// A server that only tests start, from its arguments to a signal. Beside its own methods it serves health and
/// reflection. Exit codes: 0 after a signal, 2 for bad usage, 1 otherwise.
package struct ServerProgram: Sendable {
  private let name: String
  private let descriptors: DescriptorPool
  private let makeMethods: @Sendable (any CallExecutor) -> [Method]

  /// - Parameters:
  ///   - descriptorSets: The .proto files of the methods, for reflection.
  ///   - makeMethods: Called once on each loop.
  package init(
    _ name: String, descriptorSets: [[UInt8]] = [], makeMethods: @escaping @Sendable (any CallExecutor) -> [Method]
  ) {
    self.name = name
    self.makeMethods = makeMethods
    descriptors = DescriptorPool(descriptorSets + [DescriptorPool.standardSet])
  }

  package func run() async -> Never {
    let options: ServerOptions
    do throws(ServerOptions.Fault) {
      options = try ServerOptions(Array(CommandLine.arguments.dropFirst()), of: name)
    } catch {
      complain(error.message)
      exit(2)
    }
    do {
      let loops = try makeLoops(options.loopCount)
      try await serve(options, on: loops)
      for loop in loops { loop.stop() }
      exit(0)
    } catch {
      complain("\(name): \(error)")
      exit(1)
    }
  }

  private func makeLoops(_ count: Int) throws(NetworkError) -> [EventLoop] {
    var loops: [EventLoop] = []
    for index in 0..<count { loops.append(try EventLoop(name: "loop-\(index)")) }
    return loops
  }

  private func serve(_ options: ServerOptions, on loops: [EventLoop]) async throws {
    let board = HealthBoard()
    let configuration = GRPCServer.Configuration(
      listeners: options.listeners, loops: loops, limits: options.connections.limits, policy: options.connections.policy
    ) { executor in
      let methods = makeMethods(executor)
      let health = HealthService(of: methods, board: board, on: executor).methods
      let reflection = ReflectionService(of: methods + health, pool: descriptors).methods
      return Service(router: Router(methods + health + reflection))
    }
    let server = try GRPCServer(configuration)
    let signals = SignalCounter()
    let watchers = await watch(signals, reloading: options.certificates, on: loops[0])
    for address in server.addresses { print("listening on \(address)") }
    fflush(nil)
    await signals.received(1)
    // A second signal hurries the drain.
    Task {
      await signals.received(2)
      await server.shutdown(graceSeconds: 0)
    }
    await board.leave()
    await server.shutdown(graceSeconds: options.drainSeconds)
    loops[0].execute { watchers.close() }
  }

  /// Returns when the signals are watched: who reads `listening on` may send one.
  private func watch(
    _ signals: SignalCounter, reloading certificates: ServerCertificates?, on loop: EventLoop
  ) async -> SignalWatchers {
    let watchers = SignalWatchers()
    await withCheckedContinuation { continuation in
      loop.execute {
        watchers.start(signals, on: loop) { reload(certificates) }
        continuation.resume()
      }
    }
    return watchers
  }

  /// Says on standard output that the files were read, or on standard error why not.
  private func reload(_ certificates: ServerCertificates?) {
    do throws(TLSError) {
      try certificates?.reload()
      print("certificates read anew")
      fflush(nil)
    } catch {
      complain("\(name): \(error)")
    }
  }

  private func complain(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    write(STDERR_FILENO, bytes, bytes.count)
  }
}
