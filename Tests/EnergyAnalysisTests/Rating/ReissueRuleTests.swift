import EnergyModel
import Testing

@testable import EnergyAnalysis

private let start = utc(2023, 6, 18)
private let series = GuidanceSeries(gridRegion: "TEST", action: .shift, ratePlan: nil)

/// A forecast with the given hourly ratings, computed for `now`.
private func rated(
  _ ratings: [Double], from start: Timestamp = start, now: Timestamp? = nil, events: Set<Int> = [],
  prices: [Double?] = [], options: [GuidanceOption] = [], due: Timestamp? = nil
) -> RatedForecast {
  let slots = ratings.enumerated().map { index, rating in
    let price = prices.indices.contains(index) ? prices[index] : nil
    return RatedSlot(
      interval: Interval(start: start.advanced(byMilliseconds: Int64(index) * hour), milliseconds: hour),
      rating: rating, mark: RatedSlot.Mark(price: price, events: events.contains(index) ? [0] : []),
      explanation: RatingExplanation(
        priceUSDPerKWh: price, priceScore: price, quality: .forecast, isGridEvent: events.contains(index)))
  }
  let now = now ?? start
  return RatedForecast(
    action: .shift, now: now, options: options, slots: slots, dueTime: due ?? now.advanced(byMilliseconds: 100 * hour))
}

private func revision(_ rated: RatedForecast, issued: Timestamp = start) -> GuidanceRevision {
  rated.content.revision(of: series, issueTime: issued, number: 0)
}

private func later(_ minutes: Int64) -> Timestamp { start.advanced(byMilliseconds: minutes * minute) }

/// Hours that do not merge: .1, .3, .5 and so on, up and down.
private let wave = (0..<24).map { [0.1, 0.3, 0.5, 0.7][$0 % 4] }

private func changed(_ changes: [Int: Double]) -> [Double] {
  wave.enumerated().map { changes[$0.offset] ?? $0.element }
}

@Suite struct `Guidance is issued again` {
  let rule = ReissueRule()

  private func content(_ decision: ReissueDecision) -> GuidanceContent? {
    switch decision {
    case .send(let content): content
    case .hold, .unchanged: nil
    }
  }

  @Test func `at first, and when what was handed out has run out`() {
    let fresh = rated(wave)
    #expect(rule.decide(previous: nil, rated: fresh, now: start) == .send(fresh.content))
    let old = revision(rated(wave, from: start.advanced(byMilliseconds: -24 * hour)))
    #expect(content(rule.decide(previous: old, rated: fresh, now: start))?.values == fresh.content.values)
  }

  @Test func `not where nothing changed`() {
    #expect(rule.decide(previous: revision(rated(wave)), rated: rated(wave), now: later(10)) == .unchanged)
  }

  @Test(arguments: [(0.05, true), (0.049, false), (-0.05, true)])
  func `when a later hour moves by a twentieth`(change: Double, isNews: Bool) {
    let fresh = rated(changed([10: 0.5 + change]))
    let decision = rule.decide(previous: revision(rated(wave)), rated: fresh, now: later(10))
    #expect((content(decision) != nil) == isNews)
  }

  @Test func `not when less than a quarter of an hour moves`() {
    // The first hour's remaining ten minutes, by more than is held.
    let fresh = rated(changed([0: 0.9]))
    #expect(rule.decide(previous: revision(rated(wave)), rated: fresh, now: later(50)) == .unchanged)
    #expect(content(rule.decide(previous: revision(rated(wave)), rated: fresh, now: later(40))) != nil)
  }

  @Test(arguments: [(1, true), (0, false)])
  func `when its end moves by an hour`(hours: Int, isNews: Bool) {
    let fresh = rated(wave + wave.prefix(hours))
    let decision = rule.decide(previous: revision(rated(wave)), rated: fresh, now: later(10))
    #expect((content(decision) != nil) == isNews)
  }

  @Test func `when a hole opens`() {
    var slots = rated(wave).slots
    slots.remove(at: 12)
    let fresh = RatedForecast(action: .shift, now: start, options: [], slots: slots, dueTime: later(6000))
    #expect(content(rule.decide(previous: revision(rated(wave)), rated: fresh, now: later(10))) != nil)
  }

  @Test func `at the earliest five minutes after the last`() {
    let fresh = rated(changed([10: 0.9]))
    let previous = revision(rated(wave))
    #expect(rule.decide(previous: previous, rated: fresh, now: later(4)) == .hold(until: later(5)))
    #expect(content(rule.decide(previous: previous, rated: fresh, now: later(5))) != nil)
    let patient = ReissueRule(minimumIntervalSeconds: 900)
    #expect(patient.decide(previous: previous, rated: fresh, now: later(14)) == .hold(until: later(15)))
    #expect(content(ReissueRule(minimumIntervalSeconds: 0).decide(previous: previous, rated: fresh, now: start)) != nil)
  }

  @Test func `at once for an event that begins, and for one that ends`() {
    let calm = rated(wave)
    let alert = rated(changed([8: 0.91]), events: [8])
    #expect(rule.decide(previous: revision(calm), rated: alert, now: later(1)) == .send(alert.content))
    #expect(rule.decide(previous: revision(alert), rated: calm, now: later(1)) == .send(calm.content))
    #expect(rule.decide(previous: revision(alert), rated: alert, now: later(1)) == .unchanged)
  }

  @Test func `at once for other options and other prices`() {
    let plain = rated(wave)
    let withPlan = rated(wave, options: [.locationHasRatePlan])
    #expect(content(rule.decide(previous: revision(plain), rated: withPlan, now: later(1))) != nil)
    let cheap = rated(wave, prices: [Double?](repeating: 0.2, count: 24))
    let dear = rated(wave, prices: [Double?](repeating: 0.3, count: 24))
    #expect(content(rule.decide(previous: revision(cheap), rated: dear, now: later(1))) != nil)
    #expect(rule.decide(previous: revision(cheap), rated: cheap, now: later(1)) == .unchanged)
    #expect(content(rule.decide(previous: revision(plain), rated: plain, now: later(1), mustSend: true)) != nil)
  }

  @Test func `when the time that was promised has come and the values are not the same`() {
    let previous = revision(rated(wave, due: later(60)))
    let rolled = rated(Array(wave.dropFirst()), from: later(60), now: later(60))
    #expect(content(rule.decide(previous: previous, rated: rolled, now: later(60))) != nil)
    let unpromised = revision(rated(wave))
    #expect(rule.decide(previous: unpromised, rated: rolled, now: later(60)) == .unchanged)
    #expect(rule.decide(previous: previous, rated: rated(wave), now: later(60)) == .unchanged)
  }
}

@Suite struct `The present rating` {
  let rule = ReissueRule()

  private func values(
    _ previous: [Double], _ fresh: [Double], at now: Timestamp, events: Set<Int> = []
  ) -> [GuidanceValue] {
    // The tenth hour changes much, so that there is something to send.
    let decision = rule.decide(
      previous: revision(rated(previous)), rated: rated(fresh, now: now, events: events), now: now)
    switch decision {
    case .send(let content): return content.values
    case .hold, .unchanged: return []
    }
  }

  @Test func `is held while it moves by fifteen hundredths or less`() {
    let held = values(wave, changed([0: 0.25, 10: 0.95]), at: later(10))
    #expect(held.first?.rating.value == 0.1)
    let moved = values(wave, changed([0: 0.251, 1: 0.4, 10: 0.95]), at: later(10))
    #expect(moved.first?.rating.value == 0.251)
  }

  @Test func `is held with what begins in the next half hour`() {
    let early = values(wave, changed([1: 0.4, 10: 0.95]), at: later(10))
    #expect(early[1].rating.value == 0.4)
    let late = values(wave, changed([1: 0.4, 10: 0.95]), at: later(40))
    #expect(late[1].rating.value == 0.3)
    #expect(late[2].rating.value == 0.5)
  }

  @Test func `does not flow into its neighbours`() {
    // Held at .1 while the next hour is now .12: they stay two.
    let held = values(wave, changed([0: 0.14, 1: 0.12, 10: 0.95]), at: later(10))
    #expect(held.prefix(2).map(\.rating.value) == [0.1, 0.12])
  }

  @Test func `is not held when an event changes`() {
    let raised = values(wave, changed([0: 0.2]), at: later(10), events: [0])
    #expect(raised.first?.rating.value == 0.2)
  }

  @Test func `stays held over many small moves`() {
    var current = revision(rated(changed([0: 0.1])))
    // Each step is .1 from the last, so a hold against the last computation would follow it.
    for (step, rating) in [0.2, 0.24, 0.25].enumerated() {
      let now = later(Int64(step + 1) * 6)
      let fresh = rated(changed([0: rating, 10: step % 2 == 0 ? 0.95 : 0.5]), now: now)
      guard case .send(let content) = rule.decide(previous: current, rated: fresh, now: now) else {
        Issue.record("expected news")
        return
      }
      #expect(content.values.first?.rating.value == 0.1)
      current = content.revision(of: series, issueTime: now, number: 0)
    }
  }
}

@Suite struct `The next update` {
  @Test func `is never promised within the time in which none may be sent`() {
    let soon = rated(wave, due: later(1))
    guard case .send(let content) = ReissueRule().decide(previous: nil, rated: soon, now: start) else {
      Issue.record("expected guidance")
      return
    }
    #expect(content.nextUpdateTime == later(5))
  }

  @Test func `comes before the values end`() {
    #expect(rated(wave).content.nextUpdateTime == later(24 * 60))
    #expect(rated(wave, due: later(60)).content.nextUpdateTime == later(60))
  }
}
