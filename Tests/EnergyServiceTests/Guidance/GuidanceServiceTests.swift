import EnergyAnalysis
import EnergyModel
import FoundationEssentials
import Locking
import ServiceTestSupport
import Storage
import Testing

@testable import EnergyService

/// A store with one Californian venue and whatever a guidance service made of it.
private final class Bench: Sendable {
  let store = ProbeStore()
  let clock: ManualClock
  let source = TestSource()
  let venue: EnergyVenue
  let told = Lock<[GuidanceRevision]>([])
  let ended = Lock<[GuidanceSeries]>([])
  let problems = Lock<[GuidanceProblem]>([])

  init(planID: String? = nil, incorporatesPlan: Bool = true, start: Timestamp = .noon) async throws {
    clock = ManualClock(start)
    venue = makeVenue(planID: planID, incorporatesPlan: incorporatesPlan)
    try await store.save(venue)
  }

  /// Each call is a start of the program on the same data.
  func start(floor: Int64 = 300, clock: ServiceClock? = nil) async throws -> GuidanceService {
    try await GuidanceService.start(
      store: store, clock: clock ?? self.clock.service, source: source,
      settings: GuidanceService.Settings(
        reissueRule: ReissueRule(minimumIntervalSeconds: floor), executor: WorkerThread()),
      observer: GuidanceObserver(
        onRevision: { revision in self.told.withLock { $0.append(revision) } },
        onUnavailable: { series in self.ended.withLock { $0.append(series) } },
        onProblem: { problem in self.problems.withLock { $0.append(problem) } }))
  }

  var shift: GuidanceSeries { GuidanceSeries(of: venue, action: .shift) }
  var reduce: GuidanceSeries { GuidanceSeries(of: venue, action: .reduce) }
  var now: Timestamp { clock.now }

  /// What was told of one series, oldest first.
  func told(_ series: GuidanceSeries) -> [GuidanceRevision] { told.withLock { $0.filter { $0.series == series } } }
}

private func name(_ revision: GuidanceRevision?) -> [Int64] {
  revision.map { [$0.issueTime.seconds, Int64($0.number)] } ?? []
}

@Suite struct `Guidance` {
  @Test func `is there for both actions once the service has started, durable and told`() async throws {
    let bench = try await Bench()
    let service = try await bench.start()
    for series in [bench.shift, bench.reduce] {
      let revision = try #require(service.current(series))
      #expect(revision.series == series)
      #expect(revision.interval?.start == bench.now.floored(toMultipleOf: 3_600_000))
      #expect(revision.issueTime == Timestamp(seconds: bench.now.seconds))
      #expect(revision.nextUpdateTime > bench.now)
      #expect(bench.told(series) == [revision])
      #expect(bench.store.revisions.contains(revision))
    }
    #expect(bench.store.revisions.count == 2)
  }

  @Test func `stays the same while nothing changes`() async throws {
    let bench = try await Bench()
    let service = try await bench.start()
    bench.clock.advance(seconds: 1_000)
    for _ in 0..<3 { await service.catchUp() }
    #expect(bench.told(bench.shift).count == 1)
  }

  @Test func `moves on with the hour, and never later than it promised`() async throws {
    let bench = try await Bench()
    let service = try await bench.start()
    for _ in 0..<30 {
      let before = try #require(service.current(bench.shift))
      bench.clock.set(before.nextUpdateTime)
      await service.catchUp()
      let after = try #require(service.current(bench.shift))
      #expect((after.issueTime, after.number) > (before.issueTime, before.number))
      #expect(after.values.first?.interval.contains(bench.now) == true)
    }
  }

  @Test func `keeps its name over a restart`() async throws {
    let bench = try await Bench()
    let first = try await bench.start()
    let before = first.current(bench.shift)
    await first.stop()
    bench.clock.advance(seconds: 600)
    let second = try await bench.start()
    #expect(second.current(bench.shift) == before)
    #expect(bench.told(bench.shift).count == 1)
    #expect(bench.store.revisions.count == 2)
  }

  @Test func `gets a new name after a restart with other data, above all earlier ones`() async throws {
    let bench = try await Bench()
    let before = try await bench.start().current(bench.shift)
    bench.source.add(500)
    let after = try await bench.start(floor: 0).current(bench.shift)
    #expect(name(before).lexicographicallyPrecedes(name(after)))
  }

  @Test func `follows a published forecast at once`() async throws {
    let bench = try await Bench()
    let service = try await bench.start()
    bench.clock.advance(seconds: 301)
    let effect = try await service.publish(makeRun(issued: bench.now) { 700 - typicalCarbon($0) })
    #expect(effect.changed == [bench.shift, bench.reduce])
    let revision = try #require(service.current(bench.shift))
    #expect(revision == bench.told(bench.shift).last)
    #expect(revision.explanations.allSatisfy { $0.carbonModel == "operator-1" })
    #expect(bench.store.questionCount("append(signal)") == 1)
  }

  @Test func `says that other models' values are not measured for a run`() async throws {
    let bench = try await Bench()
    let service = try await bench.start(floor: 0)
    _ = try await service.publish(makeRun(issued: bench.now) { 700 - typicalCarbon($0) })
    let published = try #require(service.current(bench.shift))
    #expect(published.explanations.allSatisfy { $0.quality >= .estimated })
    let own = makeRun(model: TestSource.model, issued: bench.now.advanced(bySeconds: 1)) { 700 - typicalCarbon($0) }
    _ = try await service.publish(own)
    let measured = try #require(service.current(bench.shift))
    #expect(measured.explanations.allSatisfy { $0.quality == .forecast })
    // The source's own run goes on where the published one of its model ends.
    #expect(measured.interval?.milliseconds == Int64(48 * 3_600_000))
    #expect(published.interval?.milliseconds == Int64(24 * 3_600_000))
  }

  @Test func `ignores a run older than the one in use`() async throws {
    let bench = try await Bench()
    let service = try await bench.start(floor: 0)
    _ = try await service.publish(makeRun(issued: bench.now) { 700 - typicalCarbon($0) })
    let before = service.current(bench.shift)
    let older = makeRun(issued: bench.now.advanced(bySeconds: -60)) { _ in 300 }
    #expect(try await service.publish(older).changed.isEmpty)
    #expect(service.current(bench.shift) == before)
    #expect(bench.store.questionCount("append(signal)") == 2)
  }

  @Test func `leaves a run that does not cover now, or is six hours old, for the source's own`() async throws {
    let bench = try await Bench()
    let service = try await bench.start(floor: 0)
    let later = makeRun(issued: bench.now, from: bench.now.advanced(bySeconds: 7_200)) { 700 - typicalCarbon($0) }
    #expect(try await service.publish(later).changed.isEmpty)
    _ = try await service.publish(makeRun(issued: bench.now) { 700 - typicalCarbon($0) })
    #expect(service.current(bench.shift)?.explanations.first?.carbonModel == "operator-1")
    bench.clock.advance(seconds: 6 * 3_600)
    await service.catchUp()
    #expect(service.current(bench.shift)?.explanations.first?.carbonModel == "operator-1")
    bench.clock.advance(seconds: 3_600)
    await service.catchUp()
    #expect(service.current(bench.shift)?.explanations.first?.carbonModel == TestSource.model)
  }

  @Test func `is held back until the floor has passed, then goes out by itself`() async throws {
    let bench = try await Bench()
    let service = try await bench.start(floor: 300)
    bench.clock.advance(seconds: 60)
    #expect(try await service.publish(makeRun(issued: bench.now) { 700 - typicalCarbon($0) }).changed.isEmpty)
    bench.clock.advance(seconds: 239)
    await service.catchUp()
    #expect(bench.told(bench.shift).count == 1)
    bench.clock.advance(seconds: 1)
    await service.catchUp()
    #expect(bench.told(bench.shift).count == 2)
    #expect(service.current(bench.shift)?.explanations.first?.carbonModel == "operator-1")
  }

  @Test func `goes out by itself when the floor has passed on the system's clock`() async throws {
    let bench = try await Bench(start: ServiceClock().now)
    let service = try await bench.start(floor: 2, clock: ServiceClock())
    _ = try await service.publish(makeRun(issued: ServiceClock().now) { 700 - typicalCarbon($0) })
    for _ in 0..<3_000 where bench.told(bench.shift).count < 2 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(bench.told(bench.shift).count >= 2)
    #expect(service.current(bench.shift)?.explanations.first?.carbonModel == "operator-1")
    await service.stop()
  }

  @Test func `has its own name each time even within one second`() async throws {
    let bench = try await Bench()
    let service = try await bench.start(floor: 0)
    for index in 0..<20 {
      let run = makeRun(issued: bench.now.advanced(byMilliseconds: Int64(index))) {
        index.isMultiple(of: 2) ? 700 - typicalCarbon($0) : typicalCarbon($0)
      }
      #expect(try await service.publish(run).changed == [bench.shift, bench.reduce])
    }
    let names = bench.told.withLock { $0.map(name) }
    #expect(names.count == 42)
    #expect(Set(names).count == 42)
  }

  @Test func `is told in order, durable before it is told`() async throws {
    let bench = try await Bench()
    let service = try await bench.start(floor: 0)
    for index in 0..<5 as Range<Int64> {
      _ = try await service.publish(
        makeRun(issued: bench.now.advanced(byMilliseconds: index)) {
          index.isMultiple(of: 2) ? 700 - typicalCarbon($0) : typicalCarbon($0)
        })
    }
    let stored = bench.store.revisions.filter { $0.series == bench.shift }
    #expect(bench.told(bench.shift) == stored)
  }

  @Test func `runs out when its source does, and says so once`() async throws {
    let bench = try await Bench()
    let service = try await bench.start()
    let last = try #require(service.current(bench.shift))
    bench.source.stop()
    let end = try #require(last.interval?.end)
    bench.clock.set(end.advanced(byMilliseconds: -1))
    await service.catchUp()
    #expect(service.current(bench.shift) == last)
    #expect(bench.ended.withLock { $0 }.isEmpty)
    bench.clock.set(end)
    #expect(service.current(bench.shift) == nil)
    for _ in 0..<2 { await service.catchUp() }
    #expect(Set(bench.ended.withLock { $0 }) == [bench.shift, bench.reduce])
    #expect(bench.ended.withLock { $0.count } == 2)
    let error = await #expect(throws: EnergyKitError.self) { _ = try await service.revision(of: bench.shift) }
    guard case .guidanceUnavailable(let seconds) = error else { return #expect(Bool(false), "\(error as Any)") }
    #expect((5...60).contains(seconds))
  }

  @Test func `comes back with a publication`() async throws {
    let bench = try await Bench()
    bench.source.stop()
    let service = try await bench.start()
    #expect(service.current(bench.shift) == nil)
    #expect(bench.problems.withLock { $0.contains(.noRating(bench.shift, .noCarbonData)) })
    let effect = try await service.publish(makeRun(issued: bench.now, typicalCarbon))
    #expect(effect.changed == [bench.shift, bench.reduce])
    #expect(service.current(bench.shift) != nil)
  }

  @Test func `is not handed out where it cannot be stored, and is tried again`() async throws {
    let bench = try await Bench()
    let service = try await bench.start(floor: 0)
    let before = service.current(bench.shift)
    bench.store.fail(with: .busy)
    bench.clock.set(try #require(before).nextUpdateTime)
    await service.catchUp()
    #expect(service.current(bench.shift) == before)
    #expect(bench.problems.withLock { $0.contains(.store(.busy)) })
    bench.store.fail(with: nil)
    await service.catchUp()
    #expect(bench.told(bench.shift).count == 1)
    bench.clock.advance(seconds: 5)
    await service.catchUp()
    #expect(bench.told(bench.shift).count == 2)
  }

  @Test func `is as before where a publication cannot be stored`() async throws {
    let bench = try await Bench()
    let service = try await bench.start(floor: 0)
    bench.store.fail(with: .failed(operation: "write", reason: "disk full"))
    await #expect(throws: EnergyKitError.serviceUnavailable(retryAfterSeconds: 5)) {
      _ = try await service.publish(makeRun(issued: bench.now) { 700 - typicalCarbon($0) })
    }
    bench.store.fail(with: nil)
    await service.catchUp()
    #expect(bench.told(bench.shift).count == 1)
  }

  @Test func `follows a changed plan, whatever the floor says`() async throws {
    let bench = try await Bench(planID: "tou")
    try await bench.store.save(#require(makePlan()))
    let service = try await bench.start(floor: 300)
    let before = try #require(service.current(bench.shift))
    #expect(before.options == [.locationHasRatePlan, .guidanceIncorporatesRatePlan])
    try await service.save(#require(makePlan()))
    #expect(service.current(bench.shift) == before)
    try await service.save(#require(makePlan(peak: 0.9)))
    let after = try #require(service.current(bench.shift))
    #expect(after.explanations.compactMap(\.priceUSDPerKWh).max() == 0.9)
  }

  @Test func `follows a changed plan that it only looks at`() async throws {
    let bench = try await Bench(planID: "tou", incorporatesPlan: false)
    try await bench.store.save(#require(makePlan()))
    let service = try await bench.start(floor: 300)
    try await service.save(#require(makePlan(peak: 0.9)))
    #expect(bench.told(bench.shift).count == 2)
    #expect(service.current(bench.shift)?.options == [.locationHasRatePlan])
  }

  @Test func `is computed for a new series when it is asked for`() async throws {
    let bench = try await Bench()
    let service = try await bench.start()
    let series = GuidanceSeries(of: makeVenue(region: "MISO"), action: .shift)
    #expect(service.current(series) == nil)
    let revision = try await service.revision(of: series)
    #expect(revision.series == series)
    #expect(service.current(series) == revision)
    await #expect(throws: EnergyKitError.self) {
      _ = try await service.revision(of: GuidanceSeries(of: makeVenue(region: "DARK"), action: .shift))
    }
  }

  @Test func `uses what was published before a restart`() async throws {
    let bench = try await Bench()
    _ = try await bench.start(floor: 0).publish(makeRun(issued: bench.now) { 700 - typicalCarbon($0) })
    let service = try await bench.start(floor: 0)
    #expect(service.current(bench.shift)?.explanations.first?.carbonModel == "operator-1")
    #expect(bench.told(bench.shift).count == 2)
  }

  @Test func `is not taken from a clock that was far ahead`() async throws {
    let bench = try await Bench()
    bench.clock.advance(seconds: 86_400)
    await (try bench.start()).stop()
    bench.clock.advance(seconds: -86_400)
    let service = try await bench.start()
    #expect(service.current(bench.shift)?.issueTime == Timestamp(seconds: bench.now.seconds))
  }

  @Test func `stops when told to, and what is current stays readable`() async throws {
    let bench = try await Bench()
    let service = try await bench.start()
    await service.stop()
    #expect(service.current(bench.shift) != nil)
    await #expect(throws: EnergyKitError.serviceUnavailable(retryAfterSeconds: 5)) {
      _ = try await service.publish(makeRun(issued: bench.now, typicalCarbon))
    }
  }

  @Test func `needs a store that answers`() async throws {
    let bench = try await Bench()
    bench.store.fail(with: .closed)
    await #expect(throws: EnergyKitError.serviceUnavailable(retryAfterSeconds: 5)) { _ = try await bench.start() }
  }

  @Test func `may be read by many while it changes`() async throws {
    let bench = try await Bench()
    let service = try await bench.start(floor: 0)
    let shift = bench.shift
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<2_000 { #expect(service.current(shift) != nil) } }
      }
      group.addTask {
        for index in 0..<20 as Range<Int64> {
          let run = makeRun(issued: bench.now.advanced(byMilliseconds: index)) {
            index.isMultiple(of: 2) ? 700 - typicalCarbon($0) : typicalCarbon($0)
          }
          _ = try? await service.publish(run)
        }
      }
    }
  }
}

@Suite struct `The checks before guidance` {
  @Test func `ask for location services, then for the region`() throws {
    let both = makeVenue(region: "HECO", isSupported: false, isLocationDenied: true)
    #expect(throws: EnergyKitError.locationServicesDenied) { _ = try GuidanceSeries.checked(of: both, action: .shift) }
    let abroad = makeVenue(region: "CISO", isSupported: false)
    #expect(throws: EnergyKitError.unsupportedRegion(region: "CISO")) {
      _ = try GuidanceSeries.checked(of: abroad, action: .shift)
    }
    let nowhere = makeVenue(region: "")
    #expect(throws: EnergyKitError.unsupportedRegion(region: "")) {
      _ = try GuidanceSeries.checked(of: nowhere, action: .shift)
    }
  }

  @Test func `lead to one series for all venues of a region and plan`() throws {
    let a = try GuidanceSeries.checked(of: makeVenue("a", planID: "tou"), action: .shift)
    let b = try GuidanceSeries.checked(of: makeVenue("b", planID: "tou"), action: .shift)
    #expect(a == b)
    let others = [
      makeVenue(planID: nil), makeVenue(planID: "flat"), makeVenue(planID: "tou", incorporatesPlan: false),
      makeVenue(region: "MISO", planID: "tou"), makeVenue(timeZone: "America/Denver", planID: "tou"),
    ]
    for other in others { #expect(try GuidanceSeries.checked(of: other, action: .shift) != a) }
    #expect(try GuidanceSeries.checked(of: makeVenue(planID: "tou"), action: .reduce) != a)
  }
}
