import EnergyModel
import ServiceTestSupport
import Testing

@testable import EnergyService

@Suite struct `The numbers of revisions` {
  private func makeRevision(_ seconds: Int64, _ number: UInt16) -> GuidanceRevision {
    GuidanceRevision(
      series: GuidanceSeries(gridRegion: "CISO", action: .shift, ratePlan: nil), issueTime: Timestamp(seconds: seconds),
      number: number, options: [], values: [], nextUpdateTime: .noon, explanations: [])
  }

  @Test func `never repeat, whatever the clock does`() {
    var random = SystemRandomNumberGenerator()
    var numbers = RevisionNumbers()
    var last: (Int64, UInt16) = (0, 0)
    for _ in 0..<10_000 {
      let next = numbers.next(now: Timestamp(seconds: Int64.random(in: 1_000...1_100, using: &random)))
      #expect((next.issueTime.seconds, next.number) > last)
      last = (next.issueTime.seconds, next.number)
    }
  }

  @Test func `go on in the next second when a second's are used up`() {
    var numbers = RevisionNumbers()
    let now = Timestamp(seconds: 1_000)
    numbers.skip(makeRevision(1_000, .max - 1), now: now)
    #expect(numbers.next(now: now) == (now, .max))
    #expect(numbers.next(now: now) == (Timestamp(seconds: 1_001), 0))
    #expect(numbers.next(now: now) == (Timestamp(seconds: 1_001), 1))
  }

  @Test func `begin above what is stored, unless a wrong clock stored it`() {
    let now = Timestamp(seconds: 1_000)
    var numbers = RevisionNumbers()
    numbers.skip(makeRevision(900, 7), now: now)
    #expect(numbers.next(now: now) == (now, 0))
    numbers.skip(makeRevision(1_200, 3), now: now)
    #expect(numbers.next(now: now) == (Timestamp(seconds: 1_200), 4))
    numbers.skip(makeRevision(9_000, 3), now: now)
    #expect(numbers.next(now: now) == (Timestamp(seconds: 1_200), 5))
  }
}

@Suite struct `The delay before asking again` {
  @Test func `is 5 to 60 seconds, wider with many streams`() {
    var random = SystemRandomNumberGenerator()
    let alone = (0..<5_000).map { _ in GuidanceRetry.seconds(using: &random) }
    #expect(alone.min() == 5 && alone.max() == 60)
    let crowded = (0..<20_000).map { _ in GuidanceRetry.seconds(streamCount: 10_000, using: &random) }
    #expect(crowded.min() == 5 && crowded.max() == 110)
  }
}
