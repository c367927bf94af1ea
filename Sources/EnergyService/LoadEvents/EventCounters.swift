internal import Synchronization

/// What became of events since the start, for the operator's figures; added to by every loop, once a batch.
package final class EventCounters: Sendable {
  package struct Counts: Hashable, Sendable {
    package let stored: UInt64
    package let duplicate: UInt64
    package let refused: UInt64
    /// The store could not say; the client was told to try again.
    package let failed: UInt64
    /// Taken in with a zero in the place of something else (`--session-rules lenient`).
    package let zeroed: UInt64
  }

  private let stored = Atomic<UInt64>(0)
  private let duplicate = Atomic<UInt64>(0)
  private let refused = Atomic<UInt64>(0)
  private let failed = Atomic<UInt64>(0)
  private let zeroed = Atomic<UInt64>(0)

  package init() {}

  package var counts: Counts {
    Counts(
      stored: stored.load(ordering: .relaxed), duplicate: duplicate.load(ordering: .relaxed),
      refused: refused.load(ordering: .relaxed), failed: failed.load(ordering: .relaxed),
      zeroed: zeroed.load(ordering: .relaxed))
  }

  package func count(zeroed count: Int) {
    if count > 0 { zeroed.wrappingAdd(UInt64(count), ordering: .relaxed) }
  }

  package func count(stored: Int = 0, duplicate: Int = 0, refused: Int = 0, failed: Int = 0) {
    for (counter, count) in [(0, stored), (1, duplicate), (2, refused), (3, failed)] where count > 0 {
      let count = UInt64(count)
      switch counter {
      case 0: self.stored.wrappingAdd(count, ordering: .relaxed)
      case 1: self.duplicate.wrappingAdd(count, ordering: .relaxed)
      case 2: self.refused.wrappingAdd(count, ordering: .relaxed)
      case _: self.failed.wrappingAdd(count, ordering: .relaxed)
      }
    }
  }
}
