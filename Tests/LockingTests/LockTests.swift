import Locking
import Testing

@Suite struct `A lock` {
  @Test func `loses no increment of eight tasks`() async {
    let count = Lock(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<10_000 { count.withLock { $0 += 1 } } }
      }
    }
    #expect(count.withLock { $0 } == 80_000)
  }

  @Test func `is free again after an error`() {
    struct Refusal: Error {}
    let value = Lock(1)
    #expect(throws: Refusal.self) { try value.withLock { _ throws(Refusal) in throw Refusal() } }
    #expect(value.withLock { $0 } == 1)
  }
}
