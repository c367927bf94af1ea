import Glibc
import NetworkIO

/// The signals an operator sends, as a sequence.
final class SignalWatch: Sendable {
  enum Received: Sendable {
    /// SIGTERM or SIGINT.
    case terminate
    /// SIGHUP.
    case hangUp
  }

  let received: AsyncStream<Received>
  private let isLeaving: LeavingMark

  /// Watches for as long as `loop` runs.
  init(on loop: EventLoop) async throws(NetworkError) {
    // Bounded: what matters of repeated signals is that there was one.
    let (received, continuation) = AsyncStream.makeStream(of: Received.self, bufferingPolicy: .bufferingOldest(8))
    let isLeaving = LeavingMark()
    self.received = received
    self.isLeaving = isLeaving
    let result: Result<Void, NetworkError> = await withCheckedContinuation { started in
      loop.execute {
        do throws(NetworkError) {
          for (number, meaning) in [(SIGTERM, Received.terminate), (SIGINT, .terminate), (SIGHUP, .hangUp)] {
            _ = try SignalWatcher(loop: loop, signal: number) {
              if meaning == .terminate, isLeaving.isSet { _exit(0) }
              continuation.yield(meaning)
            }
          }
          started.resume(returning: .success(()))
        } catch {
          started.resume(returning: .failure(error))
        }
      }
    }
    try result.get()
  }

  /// From now on SIGTERM and SIGINT end the process at once.
  func exitOnNext() { isLeaving.set() }
}
