import EnergyModel
import Testing

@testable import GridData

private let now = utc(2024, 5, 1)

private func signal(
  _ values: [Double?], model: String = "a", isMeasured: Bool = false, issued: Timestamp = now,
  from start: Timestamp = now,
  kind: SignalKind = .carbonAverage
) -> GridSignal {
  GridSignal(
    key: SignalKey(gridRegion: "R", kind: kind, model: model), isMeasured: isMeasured, issueTime: issued,
    points: points(values, from: start))
}

private func before(_ hours: Int64) -> Timestamp { now.advanced(byMilliseconds: -hours * hour) }

@Suite struct `Published signals` {
  @Test func `forecast by the run that was issued last`() {
    let old = signal([1, 2], issued: before(3))
    let new = signal([3, 4], issued: before(1))
    #expect(PublishedSignals([new, old]).snapshot(gridRegion: "R", at: now)?.forecast == new)
    let corrected = signal([5], issued: before(1))
    #expect(PublishedSignals([new, old, corrected]).snapshot(gridRegion: "R", at: now)?.forecast == corrected)
  }

  @Test func `measure by what was published last, of the forecast's model alone`() {
    let snapshot = PublishedSignals([
      signal([1]), signal([10, 11, 12], isMeasured: true, issued: before(2), from: before(3)),
      signal([20], isMeasured: true, issued: before(1), from: before(2)),
      signal([99, 99, 99], model: "b", isMeasured: true, from: before(3)),
    ]).snapshot(gridRegion: "R", at: now)
    #expect(snapshot?.measured?.points.map(\.value) == [10, 20, 12])
  }

  @Test func `may be measured only`() {
    let snapshot = PublishedSignals([signal([1, 2], isMeasured: true, from: before(2))]).snapshot(
      gridRegion: "R", at: now)
    #expect(snapshot?.forecast == nil)
    #expect(snapshot?.measured?.points.count == 2)
  }

  @Test func `of prices are no carbon data`() {
    #expect(PublishedSignals([signal([1], kind: .price)]).snapshot(gridRegion: "R", at: now) == nil)
    #expect(PublishedSignals([]).gridRegions == [])
  }
}

@Suite struct `Layers of sources` {
  private let day: [Double?] = .init(repeating: 5, count: 24)

  private func layered(_ layers: [GridSignal]...) -> GridSnapshot? {
    LayeredSource(layers.map { PublishedSignals($0) }).snapshot(gridRegion: "R", at: now)
  }

  @Test func `prefer the first with a live forecast`() {
    let best = signal(day, model: "best")
    let other = signal(day, model: "other")
    #expect(layered([best], [other])?.forecast == best)
    #expect(layered([signal(day, model: "old", issued: before(25))], [other])?.forecast == other)
    #expect(layered([signal([1, 2, 3], model: "short")], [other])?.forecast == other)
    #expect(layered([signal([1, 2, 3], model: "short")], [])?.forecast?.key.model == "short")
  }

  @Test func `measure the forecast's model by all of them`() {
    let snapshot = layered(
      [signal(day), signal([7], isMeasured: true, from: before(1))],
      [signal([1, 2], isMeasured: true, from: before(2)), signal([9], model: "b", isMeasured: true, from: before(3))])
    #expect(snapshot?.measured?.points.map(\.value) == [1, 7])
  }

  @Test func `keep the recording's climatology under a published forecast`() throws {
    let published = GridSignal(
      key: SignalKey(gridRegion: "CISO", kind: .carbonAverage, model: "mine"), isMeasured: false, issueTime: now,
      points: points(day, from: now))
    let source = LayeredSource([PublishedSignals([published]), try RecordedSource()])
    let snapshot = try #require(source.snapshot(gridRegion: "CISO", at: now))
    #expect(snapshot.forecast == published)
    #expect(snapshot.measured == nil)
    #expect(snapshot.climatology != nil)
    #expect(source.gridRegions == ["CISO", "ERCO"])
    #expect(source.snapshot(gridRegion: "ERCO", at: now)?.forecast?.key.model == RecordedSource.model)
  }
}
