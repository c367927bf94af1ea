import Glibc
import Locking
import NetworkIO
import TestSupport
import Testing

@Suite struct `An event loop` {
  @Test func `runs the work of each thread in its order`() async throws {
    let seen = Lock([Int](repeating: 0, count: 8))
    let mistakes = Lock(0)
    try await withEventLoop { loop in
      await withTaskGroup(of: Void.self) { group in
        for thread in 0..<8 {
          group.addTask {
            for number in 0..<5_000 {
              loop.execute {
                let previous = seen.withLock { seen in
                  defer { seen[thread] = number + 1 }
                  return seen[thread]
                }
                if previous != number { mistakes.withLock { $0 += 1 } }
              }
            }
          }
        }
      }
      try await loop.run {}
    }
    #expect(seen.withLock { $0 } == [Int](repeating: 5_000, count: 8))
    #expect(mistakes.withLock { $0 } == 0)
  }

  @Test func `never runs work within the call that asks for it`() async throws {
    let order = Lock([String]())
    try await withEventLoop { loop in
      try await loop.run {
        loop.execute { order.withLock { $0.append("work") } }
        order.withLock { $0.append("after the call") }
      }
      try await loop.run {}
    }
    #expect(order.withLock { $0 } == ["after the call", "work"])
  }
}
