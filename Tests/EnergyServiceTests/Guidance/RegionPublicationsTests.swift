import EnergyModel
import GridData
import ServiceTestSupport
import Testing

@testable import EnergyService

@Suite struct `What is published for a region` {
  private let now = Timestamp.noon

  private func makeMeasured(
    _ model: String = "m", from start: Timestamp, hours: Int, value: Double
  ) -> GridSignal {
    GridSignal(
      key: SignalKey(gridRegion: "CISO", kind: .carbonAverage, model: model), isMeasured: true, issueTime: now,
      points: hourlyPoints(from: start, count: hours, quality: .measured) { _ in value })
  }

  private func makePoints(_ spans: [(Int64, Int64)], _ value: Double) -> [SignalPoint] {
    spans.compactMap { start, end in
      Interval(start: Timestamp(seconds: start), end: Timestamp(seconds: end)).flatMap {
        SignalPoint(interval: $0, value: value, quality: .measured)
      }
    }
  }

  @Test(arguments: 0..<200)
  func `is merged so that the newer value holds wherever there is one`(_: Int) {
    var random = SystemRandomNumberGenerator()
    func makeSeries(_ value: Double) -> [SignalPoint] {
      var spans: [(Int64, Int64)] = []
      var cursor: Int64 = 0
      while cursor < 60 {
        let start = cursor + Int64.random(in: 0...6, using: &random)
        let end = start + Int64.random(in: 1...6, using: &random)
        spans.append((start, end))
        cursor = end
      }
      return makePoints(spans, value)
    }
    let older = makeSeries(1)
    let newer = makeSeries(2)
    let merged = RegionPublications.merge(older, with: newer)
    for (a, b) in zip(merged, merged.dropFirst()) { #expect(a.interval.end <= b.interval.start) }
    #expect(merged.filter { $0.value == 2 } == newer)
    let kept = older.filter { old in newer.allSatisfy { $0.interval.intersection(old.interval) == nil } }
    #expect(merged.filter { $0.value == 1 } == kept)
  }

  @Test func `keeps measured values for 31 days`() {
    var publications = RegionPublications()
    publications.accept(makeMeasured(from: now.advanced(bySeconds: -40 * 86_400), hours: 40 * 24, value: 1), now: now)
    let measured = publications.snapshot(gridRegion: "CISO", beside: nil, at: now).measured
    #expect(measured?.points.count == 31 * 24 + 1)  // one ends on the edge
  }

  @Test func `never mixes models`() {
    var publications = RegionPublications()
    publications.accept(makeMeasured("a", from: now.advanced(bySeconds: -7_200), hours: 1, value: 1), now: now)
    publications.accept(makeMeasured("b", from: now.advanced(bySeconds: -3_600), hours: 1, value: 2), now: now)
    publications.accept(makeRun(model: "a", issued: now) { _ in 3 }, now: now)
    let carbon = publications.snapshot(gridRegion: "CISO", beside: nil, at: now)
    #expect(carbon.forecast?.key.model == "a")
    #expect(carbon.measured?.points.map(\.value) == [1])
  }

  @Test func `is measured in the operator's words where both have a value`() throws {
    let source = TestSource()
    let own = try #require(source.snapshot(gridRegion: "CISO", at: now))
    var publications = RegionPublications()
    let hour = now.advanced(bySeconds: -3_600)
    publications.accept(makeMeasured(TestSource.model, from: hour, hours: 1, value: 1), now: now)
    let carbon = publications.snapshot(gridRegion: "CISO", beside: source, at: now)
    #expect(carbon.forecast == own.forecast)
    #expect(carbon.measured?.points.dropLast().last?.value == own.measured?.points.dropLast().last?.value)
    #expect(carbon.measured?.points.last?.value == 1)
  }

  @Test func `takes the newest model's run, and stale runs where there is no other source`() {
    var publications = RegionPublications()
    publications.accept(makeRun(model: "a", issued: now.advanced(bySeconds: -7 * 3_600)) { _ in 1 }, now: now)
    #expect(publications.snapshot(gridRegion: "CISO", beside: nil, at: now).forecast?.key.model == "a")
    publications.accept(makeRun(model: "b", issued: now.advanced(bySeconds: -60)) { _ in 1 }, now: now)
    #expect(publications.snapshot(gridRegion: "CISO", beside: nil, at: now).forecast?.key.model == "b")
    publications.accept(makeRun(model: "a", issued: now) { _ in 1 }, now: now)
    #expect(publications.snapshot(gridRegion: "CISO", beside: nil, at: now).forecast?.key.model == "a")
  }

  @Test func `forgets runs that are a day old`() {
    var publications = RegionPublications()
    for day in 0..<10 as Range<Int64> {
      let issued = now.advanced(bySeconds: day * 90_000)
      publications.accept(makeRun(model: "\(day)", issued: issued, hours: 240) { _ in 1 }, now: issued)
      #expect(publications.runCount == 1)
    }
  }

  @Test(arguments: [("test-2025", 48), ("test-2025", 3), ("other", 48)])
  func `ignores a run issued in the future, which would stand before every honest one`(model: String, hours: Int) {
    var publications = RegionPublications()
    publications.accept(
      makeRun(model: model, issued: now.advanced(bySeconds: 301), from: now, hours: hours) { _ in 900 }, now: now)
    #expect(publications.runCount == 0)
    publications.accept(makeRun(model: model, issued: now, hours: 48) { _ in 100 }, now: now)
    let snapshot = publications.snapshot(gridRegion: "CISO", beside: TestSource(), at: now)
    #expect(snapshot.forecast?.points.first { $0.interval.contains(now) }?.value == 100)
  }

  @Test func `takes a run of a producer whose clock is a little fast`() {
    var publications = RegionPublications()
    publications.accept(makeRun(issued: now.advanced(bySeconds: 300), from: now) { _ in 1 }, now: now)
    #expect(publications.runCount == 1)
  }

  @Test(arguments: [(5, false), (6, true)])
  func `goes before another source only if it reaches six hours`(hours: Int, isTaken: Bool) {
    var publications = RegionPublications()
    publications.accept(makeRun(model: "other", issued: now, hours: hours) { _ in 1 }, now: now)
    let snapshot = publications.snapshot(gridRegion: "CISO", beside: TestSource(), at: now)
    #expect(snapshot.forecast?.key.model == (isTaken ? "other" : TestSource.model))
    // Without one to fall back on, it is what there is.
    #expect(publications.snapshot(gridRegion: "CISO", beside: nil, at: now).forecast?.key.model == "other")
  }

  @Test func `of few hours is filled from the same model's other run`() {
    var publications = RegionPublications()
    publications.accept(makeRun(model: TestSource.model, issued: now, hours: 2) { _ in 1 }, now: now)
    let points = publications.snapshot(gridRegion: "CISO", beside: TestSource(), at: now).forecast?.points
    #expect(points?.count == 48)
    #expect(points?.prefix(2).map(\.value) == [1, 1])
  }

  @Test func `ignores prices`() {
    var publications = RegionPublications()
    let key = SignalKey(gridRegion: "CISO", kind: .price, model: "p")
    publications.accept(
      GridSignal(
        key: key, isMeasured: false, issueTime: now,
        points: hourlyPoints(from: now, count: 24, quality: .forecast) { _ in 0.1 }), now: now)
    #expect(
      publications.snapshot(gridRegion: "CISO", beside: nil, at: now)
        == GridSnapshot(forecast: nil, measured: nil, climatology: nil, nextRunTime: nil))
  }
}
