package import EnergyModel
package import FoundationEssentials
internal import Glibc
internal import Locking
internal import Synchronization

/// How much one client may do (docs/api.md, Limits). A rate of 0 is none.
package struct ClientLimits: Hashable, Sendable {
  package var callsPerSecond = 50
  package var callBurst = 200
  package var eventsPerSecond = 1_000
  /// Also the largest batch.
  package var eventBurst = 20_000
  /// Streams open at once; 0 is no limit.
  package var streams = 10_000
  /// Events stored in a day, UTC; 0 is no limit.
  package var dailyEvents = 0

  package init() {}

  package static let none: ClientLimits = {
    var limits = ClientLimits()
    limits.callsPerSecond = 0
    limits.eventsPerSecond = 0
    limits.streams = 0
    return limits
  }()
}

/// What one client has left, on all loops and connections together: one atomic word for each limit.
package final class ClientBudget: Sendable {
  /// For callers that nothing is limited for.
  package static let unlimited = ClientBudget(.none)

  private let callRate: TokenRate?
  private let eventRate: TokenRate?
  private let streamLimit: Int
  private let now: @Sendable () -> UInt64
  private let calls = Atomic<UInt64>(0)
  private let events = Atomic<UInt64>(0)
  private let streams = Atomic<Int>(0)
  /// `nil` where there is no limit for a day.
  package let daily: DailyBudget?
  /// Events that a batch may have; a larger one could never be paid for.
  package let maximumBatchCount: Int

  /// - Parameter now: Nanoseconds on a clock that never goes back.
  package init(_ limits: ClientLimits, now: @escaping @Sendable () -> UInt64 = monotonicNanoseconds) {
    callRate = TokenRate(perSecond: limits.callsPerSecond, burst: limits.callBurst)
    eventRate = TokenRate(perSecond: limits.eventsPerSecond, burst: limits.eventBurst)
    streamLimit = limits.streams
    daily = limits.dailyEvents > 0 ? DailyBudget(limit: limits.dailyEvents) : nil
    maximumBatchCount = min(
      limits.eventsPerSecond == 0 ? .max : limits.eventBurst, limits.dailyEvents == 0 ? .max : limits.dailyEvents)
    self.now = now
  }

  /// - Throws: `rateLimitExceeded`; after that time a call is free, if nothing else is called.
  package func takeCall() throws(EnergyKitError) {
    guard let callRate else { return }
    try callRate.take(1, of: calls, at: now())
  }

  /// - Throws: `rateLimitExceeded` where the whole batch cannot be paid for; then nothing is taken.
  package func takeEvents(_ count: Int) throws(EnergyKitError) {
    guard let eventRate, count > 0 else { return }
    try eventRate.take(count, of: events, at: now())
  }

  /// For what was taken and not stored.
  package func giveBackEvents(_ count: Int) {
    guard let eventRate, count > 0 else { return }
    eventRate.giveBack(count, to: events)
  }

  /// - Throws: `rateLimitExceeded`; there is no telling when a stream will end.
  package func openStream() throws(EnergyKitError) {
    guard streamLimit > 0 else { return }
    if streams.wrappingAdd(1, ordering: .relaxed).newValue > streamLimit {
      streams.wrappingSubtract(1, ordering: .relaxed)
      throw .rateLimitExceeded(retryAfterSeconds: 10)
    }
  }

  /// For each stream that was opened.
  package func closeStream() {
    if streamLimit > 0 { streams.wrappingSubtract(1, ordering: .relaxed) }
  }
}

/// The budgets of all clients that have called; there are no more of them than clients.
package final class ClientBudgets: Sendable {
  private let limits: ClientLimits
  private let now: @Sendable () -> UInt64
  private let budgets = Lock<[UUID: ClientBudget]>([:])

  package init(_ limits: ClientLimits, now: @escaping @Sendable () -> UInt64 = monotonicNanoseconds) {
    self.limits = limits
    self.now = now
  }

  package func budget(of clientID: UUID) -> ClientBudget {
    budgets.withLock { budgets in
      if let known = budgets[clientID] { return known }
      let budget = ClientBudget(limits, now: now)
      budgets[clientID] = budget
      return budget
    }
  }

  /// For a client that is no more.
  package func forget(_ clientID: UUID) {
    budgets.withLock { _ = $0.removeValue(forKey: clientID) }
  }

  package var count: Int { budgets.withLock { $0.count } }
}

/// A bucket of tokens as one word: the moment at which it would be full again.
///
/// To take n tokens moves that moment n intervals ahead, and may not move it further than the bucket is deep. So there is
/// nothing to fill, and nothing to lock.
struct TokenRate: Sendable {
  /// Nanoseconds in which one token comes.
  private let interval: UInt64
  /// Nanoseconds in which an empty bucket fills.
  private let depth: UInt64

  /// `nil` where there is no limit.
  init?(perSecond rate: Int, burst: Int) {
    guard rate > 0 else { return nil }
    interval = max(1, 1_000_000_000 / UInt64(rate))
    depth = interval * UInt64(max(1, burst))
  }

  func take(_ count: Int, of word: borrowing Atomic<UInt64>, at now: UInt64) throws(EnergyKitError) {
    let (cost, overflow) = interval.multipliedReportingOverflow(by: UInt64(count))
    guard !overflow, cost <= depth else { throw .rateLimitExceeded(retryAfterSeconds: .max) }
    var found = word.load(ordering: .relaxed)
    while true {
      let full = max(found, now) + cost
      guard full - now <= depth else { throw .rateLimitExceeded(retryAfterSeconds: Self.seconds(full - now - depth)) }
      let (isDone, current) = word.compareExchange(expected: found, desired: full, ordering: .relaxed)
      if isDone { return }
      found = current
    }
  }

  /// What is given back was taken, so the word holds it; a bucket that has filled meanwhile does not overflow.
  func giveBack(_ count: Int, to word: borrowing Atomic<UInt64>) {
    word.wrappingSubtract(interval * UInt64(count), ordering: .relaxed)
  }

  private static func seconds(_ nanoseconds: UInt64) -> Int {
    Int(clamping: (nanoseconds + 999_999_999) / 1_000_000_000)
  }
}

/// Nanoseconds since some moment, on a clock that never goes back.
@Sendable package func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
