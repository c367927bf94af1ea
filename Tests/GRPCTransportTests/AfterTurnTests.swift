import GRPC
import NetworkIO
import TestSupport
import Testing

@testable import GRPCTransport

@Suite struct `Work after a turn` {
  private static let count = 32

  /// Notes what the loop's clock says in each piece; it stands still within a turn. Each piece takes 2 ms.
  private final class Chain: @unchecked Sendable {
    private let loop: EventLoop
    private var moments: [UInt64] = []
    private let finished: @Sendable ([UInt64]) -> Void

    init(_ loop: EventLoop, finished: @escaping @Sendable ([UInt64]) -> Void) {
      self.loop = loop
      self.finished = finished
    }

    func goOn() {
      guard moments.count < count else { return finished(moments) }
      loop.afterTurn { [self] in
        moments.append(loop.nowMilliseconds)
        let end = ContinuousClock.now + .milliseconds(2)
        while ContinuousClock.now < end {}
        goOn()
      }
    }
  }

  @Test func `runs a piece a turn, so that others get through in between`() async throws {
    try await withEventLoop { loop in
      let moments = await withCheckedContinuation { continuation in
        let chain = Chain(loop) { continuation.resume(returning: $0) }
        loop.execute { chain.goOn() }
      }
      #expect(moments.count == Self.count)
      // A turn has two ends: before it waits for the kernel, and after.
      #expect(Set(moments).count >= Self.count / 2)
    }
  }
}
