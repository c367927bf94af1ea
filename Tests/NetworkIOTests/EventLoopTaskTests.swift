import Locking
import NetworkIO
import TestSupport
import Testing

private actor Pinned {
  private let loop: EventLoop
  private var count = 0

  init(to loop: EventLoop) {
    self.loop = loop
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  func countUp() async -> Int {
    count += 1
    await Task.yield()
    preconditionIsolated()
    return count
  }
}

private func callee() async {}

@Suite struct `A task on an event loop` {
  @Test func `goes through async calls without leaving its turn`() async throws {
    let order = Lock([String]())
    try await withEventLoop { loop in
      let task = Task(executorPreference: loop) {
        await Task.yield()
        loop.execute { order.withLock { $0.append("work") } }
        for _ in 0..<10 { await callee() }
        order.withLock { $0.append("after ten calls, on the loop: \(loop.isCurrent)") }
      }
      await task.value
      try await loop.run {}
    }
    #expect(order.withLock { $0 } == ["after ten calls, on the loop: true", "work"])
  }

  @Test func `enters an actor that is pinned to the loop`() async throws {
    let count = try await withEventLoop { loop in
      let actor = Pinned(to: loop)
      return await Task(executorPreference: loop) {
        _ = await actor.countUp()
        return await actor.countUp()
      }.value
    }
    #expect(count == 2)
  }
}
