import Synchronization

/// A number that any thread may raise.
package final class Counter: Sendable {
  private let count = Atomic<UInt64>(0)

  package init() {}

  package var value: UInt64 { count.load(ordering: .relaxed) }

  /// Wraps around above 2^64 - 1.
  package func increment(by amount: UInt64 = 1) {
    count.wrappingAdd(amount, ordering: .relaxed)
  }
}
