import EnergyModel
import FoundationEssentials
import Locking
import Testing

@testable import EnergyService

@Suite struct `A client's budget` {
  /// Nanoseconds that the test moves.
  private final class Clock: Sendable {
    private let value = Lock<UInt64>(5)
    var now: UInt64 { value.withLock { $0 } }
    func advance(seconds: Int) { value.withLock { $0 += UInt64(seconds) * 1_000_000_000 } }
    func advance(nanoseconds: UInt64) { value.withLock { $0 += nanoseconds } }
  }

  private func make(_ clock: Clock, _ change: (inout ClientLimits) -> Void = { _ in }) -> ClientBudget {
    var limits = ClientLimits()
    limits.callsPerSecond = 10
    limits.callBurst = 20
    limits.eventsPerSecond = 100
    limits.eventBurst = 500
    limits.streams = 3
    change(&limits)
    return ClientBudget(limits, now: { clock.now })
  }

  /// What `take` is refused with.
  private func delay(_ take: () throws(EnergyKitError) -> Void) -> Int? {
    do throws(EnergyKitError) {
      try take()
      return nil
    } catch {
      guard case .rateLimitExceeded(let seconds) = error else { return -1 }
      return seconds
    }
  }

  @Test func `holds a burst of calls, then as many as come in a time`() {
    let clock = Clock()
    let budget = make(clock)
    for _ in 0..<20 { #expect(delay(budget.takeCall) == nil) }
    #expect(delay(budget.takeCall) == 1)
    clock.advance(nanoseconds: 100_000_000)
    #expect(delay(budget.takeCall) == nil)
    #expect(delay(budget.takeCall) == 1)
    clock.advance(seconds: 1_000)
    for _ in 0..<20 { #expect(delay(budget.takeCall) == nil) }
    #expect(delay(budget.takeCall) == 1, "a pause fills it, and no more")
  }

  @Test(arguments: [1, 99, 100, 101, 250, 500])
  func `tells a delay that is true`(count: Int) {
    let clock = Clock()
    let budget = make(clock)
    #expect(delay { () throws(EnergyKitError) in try budget.takeEvents(500) } == nil)
    let seconds = delay { () throws(EnergyKitError) in try budget.takeEvents(count) }
    #expect(seconds == (count + 99) / 100)
    clock.advance(seconds: (seconds ?? 0) - 1)
    #expect(delay { () throws(EnergyKitError) in try budget.takeEvents(count) } != nil, "nothing was taken")
    clock.advance(seconds: 1)
    #expect(delay { () throws(EnergyKitError) in try budget.takeEvents(count) } == nil)
  }

  @Test func `takes back what was not stored`() {
    let clock = Clock()
    let budget = make(clock)
    #expect(delay { () throws(EnergyKitError) in try budget.takeEvents(500) } == nil)
    budget.giveBackEvents(480)
    #expect(delay { () throws(EnergyKitError) in try budget.takeEvents(480) } == nil)
    #expect(delay { () throws(EnergyKitError) in try budget.takeEvents(1) } == 1)
    clock.advance(seconds: 3_600)
    budget.giveBackEvents(480)
    #expect(delay { () throws(EnergyKitError) in try budget.takeEvents(500) } == nil)
    #expect(delay { () throws(EnergyKitError) in try budget.takeEvents(1) } == 1, "no fuller than full")
  }

  @Test func `counts streams until they end`() {
    let budget = make(Clock())
    for _ in 0..<3 { #expect(delay(budget.openStream) == nil) }
    #expect(delay(budget.openStream) == 10)
    budget.closeStream()
    #expect(delay(budget.openStream) == nil)
    #expect(delay(budget.openStream) == 10)
  }

  @Test func `has no end where there is no limit`() {
    let budget = ClientBudget.unlimited
    for _ in 0..<1_000 {
      #expect(delay(budget.takeCall) == nil && delay(budget.openStream) == nil)
      #expect(delay { () throws(EnergyKitError) in try budget.takeEvents(1_000_000) } == nil)
    }
    #expect(budget.maximumBatchCount == .max)
  }

  @Test func `is one for all loops: eight threads together get a burst`() async {
    let budget = make(Clock()) { $0.callBurst = 1_000 }
    let taken = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask { (0..<1_000).count { _ in (try? budget.takeCall()) != nil } }
      }
      return await group.reduce(0, +)
    }
    #expect(taken == 1_000)
  }

  @Test func `is the same for a client whatever key it comes with, and another's for another`() {
    let budgets = ClientBudgets(ClientLimits())
    let (one, other) = (UUID(), UUID())
    #expect(budgets.budget(of: one) === budgets.budget(of: one))
    #expect(budgets.budget(of: one) !== budgets.budget(of: other))
  }
}
