import GRPC
import Testing

@Suite struct `Connection backoff` {
  @Test func `grows from one second by 1.6 to two minutes (gRPC, Connection Backoff Protocol)`() {
    var backoff = ConnectionBackoff()
    let delays = (0..<13).map { _ in backoff.next(chance: 0.5) }
    #expect(delays[..<5] == [1_000, 1_600, 2_560, 4_096, 6_554])
    #expect(delays.last == 120_000)
  }

  @Test func `differs by a fifth to either side`() {
    var least = ConnectionBackoff()
    var most = ConnectionBackoff()
    #expect(least.next(chance: 0) == 800 && most.next(chance: 1) == 1_200)
  }

  @Test func `begins anew after a success`() {
    var backoff = ConnectionBackoff()
    for _ in 0..<5_000 { _ = backoff.next(chance: 0.5) }
    backoff.reset()
    #expect(backoff.next(chance: 0.5) == 1_000)
  }
}

@Suite struct `A retry policy` {
  @Test func `backs off within a fifth around a growing time, up to its limit (gRFC A6)`() {
    let policy = RetryPolicy(
      maximumAttemptCount: 5, initialBackoffMilliseconds: 100, maximumBackoffMilliseconds: 1_000, backoffMultiplier: 3)
    #expect((0..<4).map { policy.backoffMilliseconds(retry: $0, chance: 0.5) } == [100, 300, 900, 1_000])
    #expect(policy.backoffMilliseconds(retry: 0, chance: 0) == 80)
    #expect(policy.backoffMilliseconds(retry: 3, chance: 1) == 1_200)
  }

  @Test func `makes five attempts at most (gRFC A6)`() {
    #expect(RetryPolicy(maximumAttemptCount: 9).maximumAttemptCount == 5)
  }
}

@Suite struct `A retry throttle` {
  @Test func `allows retries while more than half of its tokens are there (gRFC A6)`() {
    var throttle = RetryThrottle(maximumTokens: 4, tokenRatio: 0.5)
    throttle.attemptFailed()
    #expect(throttle.allowsRetries)
    throttle.attemptFailed()
    #expect(!throttle.allowsRetries)
    throttle.callEnded()
    #expect(throttle.allowsRetries)
  }

  @Test func `neither owes tokens nor hoards them`() {
    var throttle = RetryThrottle(maximumTokens: 2, tokenRatio: 1)
    for _ in 0..<100 { throttle.attemptFailed() }
    throttle.callEnded()
    #expect(!throttle.allowsRetries)
    for _ in 0..<100 { throttle.callEnded() }
    throttle.attemptFailed()
    #expect(!throttle.allowsRetries)
  }
}
