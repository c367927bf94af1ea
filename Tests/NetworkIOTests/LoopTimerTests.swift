import Locking
import NetworkIO
import TestSupport
import Testing

@Suite struct `A loop timer` {
  @Test func `fires in the order of the times`() async throws {
    let fired = Lock([Int]())
    try await withEventLoop { loop in
      try await loop.run {
        for (name, delay) in [(3, 60), (1, 20), (2, 40), (0, 0)] as [(Int, UInt64)] {
          let holder = Holder<LoopTimer>()
          holder.value = LoopTimer(loop: loop) {
            fired.withLock { $0.append(name) }
            holder.value?.close()
          }
          holder.value?.start(afterMilliseconds: delay)
        }
        #expect(fired.withLock { $0 }.isEmpty)
      }
      #expect(await eventually { fired.withLock { $0.count } == 4 })
    }
    #expect(fired.withLock { $0 } == [0, 1, 2, 3])
  }

  @Test func `repeats until it is stopped, in its own handler`() async throws {
    let count = Lock(0)
    try await withEventLoop { loop in
      let holder = Holder<LoopTimer>()
      try await loop.run {
        holder.value = LoopTimer(loop: loop) {
          if count.withLock({ count in
            count += 1
            return count
          }) == 5 {
            holder.value?.stop()
          }
        }
        holder.value?.start(afterMilliseconds: 1, repeatingEveryMilliseconds: 2)
      }
      #expect(await eventually { count.withLock { $0 } == 5 })
      try await Task.sleep(for: .milliseconds(30))
      #expect(count.withLock { $0 } == 5)
      try await loop.run { holder.value?.start(afterMilliseconds: 1) }
      #expect(await eventually { count.withLock { $0 } == 6 })
      try await loop.run { holder.value?.close() }
    }
  }

  @Test func `started anew forgets its former time`() async throws {
    let count = Lock(0)
    try await withEventLoop { loop in
      let holder = Holder<LoopTimer>()
      try await loop.run {
        let timer = LoopTimer(loop: loop) { count.withLock { $0 += 1 } }
        timer.start(afterMilliseconds: 5)
        timer.start(afterMilliseconds: 1_000_000)
        holder.value = timer
      }
      try await Task.sleep(for: .milliseconds(40))
      try await loop.run { holder.value?.close() }
    }
    #expect(count.withLock { $0 } == 0)
  }

  @Test func `that is closed lets go of its handler and never fires`() async throws {
    weak var kept: Holder<LoopTimer>?
    let count = Lock(0)
    try await withEventLoop { loop in
      let holder = Holder<LoopTimer>()
      kept = holder
      try await loop.run {
        // The handler owns the timer: closing breaks the circle.
        let timer = LoopTimer(loop: loop) { [holder] in
          count.withLock { $0 += 1 }
          holder.value?.stop()
        }
        holder.value = timer
        timer.start(afterMilliseconds: 0)
        timer.close()
        timer.close()
        timer.start(afterMilliseconds: 0)
        timer.stop()
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(count.withLock { $0 } == 0)
    #expect(kept == nil)
  }
}
