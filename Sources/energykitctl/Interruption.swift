import Glibc
import NetworkIO
import Synchronization

/// SIGINT and SIGTERM, for commands that go on until somebody has seen enough.
final class Interruption: Sendable {
  private let signals: AsyncStream<Void>
  private let hasCome = Atomic(false)

  /// Watches for as long as `loop` runs.
  init(on loop: EventLoop) async throws(Problem) {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    self.signals = signals
    let isWatching = await withCheckedContinuation { (started: CheckedContinuation<Bool, Never>) in
      loop.execute {
        do throws(NetworkError) {
          for number in [SIGINT, SIGTERM] {
            _ = try SignalWatcher(loop: loop, signal: number) { continuation.yield() }
          }
          started.resume(returning: true)
        } catch {
          started.resume(returning: false)
        }
      }
    }
    guard isWatching else { throw .local("signals cannot be watched") }
  }

  /// Runs `body` until it ends or the signal comes, which cancels it and is a good end.
  func ending(_ body: @escaping @Sendable () async throws(Problem) -> Void) async throws(Problem) {
    let task = Task { () -> Result<Void, Problem> in
      do throws(Problem) {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    }
    let watch = Task {
      for await _ in signals {
        hasCome.store(true, ordering: .relaxed)
        task.cancel()
        return
      }
    }
    let result = await task.value
    watch.cancel()
    if hasCome.load(ordering: .relaxed) { return }
    try result.get()
  }
}
