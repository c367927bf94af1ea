import Diagnostics
import Testing

@Suite struct `A counter` {
  @Test func `loses no increment of eight tasks`() async {
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<10_000 { counter.increment() } }
      }
    }
    #expect(counter.value == 80_000)
  }
}
