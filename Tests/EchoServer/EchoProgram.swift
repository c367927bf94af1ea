import GRPC
import GRPCServices
import GRPCTransport
import Glibc
import Locking
import NetworkIO
import TLS

/// Runs the server from its arguments to a signal. Exit codes: 0 after a signal, 2 for bad usage, 1 otherwise.
@main
struct EchoProgram {
  static func main() async {
    let options: EchoOptions
    do throws(EchoOptions.Fault) {
      options = try EchoOptions(Array(CommandLine.arguments.dropFirst()))
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
      complain("grpc-echo-server: \(error)")
      exit(1)
    }
  }

  private static func makeLoops(_ count: Int) throws(NetworkError) -> [EventLoop] {
    var loops: [EventLoop] = []
    for index in 0..<count { loops.append(try EventLoop(name: "echo-\(index)")) }
    return loops
  }

  private static func serve(_ options: EchoOptions, on loops: [EventLoop]) async throws {
    let counters = EchoCounters()
    let hub = EchoHub()
    let board = HealthBoard()
    let descriptors = DescriptorPool([DescriptorPool.standardSet])
    let configuration = GRPCServer.Configuration(
      listeners: options.listeners, loops: loops, limits: options.connections.limits, policy: options.connections.policy
    ) { executor in
      let broadcast = LoopBroadcast(on: executor)
      hub.add(broadcast, on: executor)
      let methods = EchoService(counters: counters, broadcast: broadcast, hub: hub).methods
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
  private static func watch(
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
  private static func reload(_ certificates: ServerCertificates?) {
    do throws(TLSError) {
      try certificates?.reload()
      print("certificates read anew")
      fflush(nil)
    } catch {
      complain("grpc-echo-server: \(error)")
    }
  }

  private static func complain(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    write(STDERR_FILENO, bytes, bytes.count)
  }
}
