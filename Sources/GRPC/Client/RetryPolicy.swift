/// When a call that has failed is tried again (gRFC A6), as long as nothing of an answer was handed on.
package struct RetryPolicy: Hashable, Sendable {
  /// The first one included; 1...5 (gRFC A6, "Maximum Number of Retries").
  package let maximumAttemptCount: Int
  package let initialBackoffMilliseconds: UInt64
  package let maximumBackoffMilliseconds: UInt64
  package let backoffMultiplier: Double
  /// What may be tried again.
  package let retryableCodes: Set<StatusCode>

  /// Attempts above five count as five.
  package init(
    maximumAttemptCount: Int, initialBackoffMilliseconds: UInt64 = 100, maximumBackoffMilliseconds: UInt64 = 5_000,
    backoffMultiplier: Double = 2, retryableCodes: Set<StatusCode> = [.unavailable]
  ) {
    precondition(maximumAttemptCount >= 1 && backoffMultiplier > 0 && initialBackoffMilliseconds > 0)
    self.maximumAttemptCount = min(maximumAttemptCount, 5)
    self.initialBackoffMilliseconds = initialBackoffMilliseconds
    self.maximumBackoffMilliseconds = maximumBackoffMilliseconds
    self.backoffMultiplier = backoffMultiplier
    self.retryableCodes = retryableCodes
  }

  /// Milliseconds before a further attempt, within 20 % around the growing backoff (gRFC A6 as of 2023).
  ///
  /// - Parameter retry: 0 for the first one after the first attempt, or after the server has named a time itself.
  /// - Parameter chance: 0..<1, from a source of random numbers.
  package func backoffMilliseconds(retry: Int, chance: Double) -> UInt64 {
    Backoff.milliseconds(
      step: retry, initial: initialBackoffMilliseconds, multiplier: backoffMultiplier,
      maximum: maximumBackoffMilliseconds, jitter: 0.2, chance: chance)
  }
}

/// Stops the retries of a channel whose server is failing most calls, so that they don't add to its troubles
/// (gRFC A6, "Throttling Retry Attempts and Hedged RPCs").
package struct RetryThrottle: Hashable, Sendable {
  /// In thousandths of a token.
  private let maximum: Int
  private let gain: Int
  private var tokens: Int

  /// - Parameter maximumTokens: 1...1000; every failed attempt costs one.
  /// - Parameter tokenRatio: Tokens that every call that has not failed gives back; above 0.
  package init(maximumTokens: Int = 100, tokenRatio: Double = 0.1) {
    precondition((1...1_000).contains(maximumTokens) && tokenRatio > 0 && tokenRatio <= 1_000)
    maximum = maximumTokens * 1_000
    gain = Int(tokenRatio * 1_000)
    tokens = maximum
  }

  /// Whether there may be further attempts: more than half of the tokens are there.
  package var allowsRetries: Bool { tokens > maximum / 2 }

  package mutating func attemptFailed() { tokens = max(0, tokens - 1_000) }

  package mutating func callEnded() { tokens = min(maximum, tokens + gain) }
}

/// How long a channel waits between attempts to connect (gRPC, "Connection Backoff Protocol").
package struct ConnectionBackoff: Hashable, Sendable {
  package var initialMilliseconds: UInt64 = 1_000
  package var multiplier = 1.6
  /// Part of the time by which it differs at random, to either side.
  package var jitter = 0.2
  package var maximumMilliseconds: UInt64 = 120_000
  private var failureCount = 0

  package init() {}

  /// Milliseconds from the beginning of an attempt that has failed to the next.
  ///
  /// - Parameter chance: 0..<1, from a source of random numbers.
  package mutating func next(chance: Double) -> UInt64 {
    defer { if failureCount < 1_000 { failureCount += 1 } }
    return Backoff.milliseconds(
      step: failureCount, initial: initialMilliseconds, multiplier: multiplier, maximum: maximumMilliseconds,
      jitter: jitter, chance: chance)
  }

  /// An attempt has succeeded.
  package mutating func reset() { failureCount = 0 }
}

private enum Backoff {
  /// `initial * multiplier ^ step`, at most `maximum`, then made longer or shorter by up to `jitter` of itself.
  static func milliseconds(
    step: Int, initial: UInt64, multiplier: Double, maximum: UInt64, jitter: Double, chance: Double
  ) -> UInt64 {
    var base = Double(initial)
    for _ in 0..<step where base < Double(maximum) { base *= multiplier }
    base = min(base, Double(maximum))
    let factor = 1 - jitter + 2 * jitter * min(max(chance, 0), 1)
    return UInt64((base * factor).rounded())
  }
}
