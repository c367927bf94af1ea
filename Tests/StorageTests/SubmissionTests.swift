import EnergyModel
import FoundationEssentials
import Locking
import Storage
import StorageTestSupport
import Testing

@Suite struct `A submitted batch` {
  private static let one = Sample.uuid(101)
  private static let two = Sample.uuid(102)
  private static let three = Sample.uuid(103)

  /// A batch that comes after `before` was accepted, and what becomes of it.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var before: [Batch] = []
    let batch: Batch
    let outcome: SubmissionOutcome

    init(_ name: String, before: [Batch] = [], _ batch: Batch, _ outcome: SubmissionOutcome) {
      testDescription = name
      self.before = before
      self.batch = batch
      self.outcome = outcome
    }
  }

  private static func reused(load index: Int) -> LoadEventFault { .reused(.loadEvent(index)) }
  private static func reused(status index: Int) -> LoadEventFault { .reused(.vehicleStatusEvent(index)) }

  private static let identities = [
    Case("is stored", Batch([Sample.vehicle(id: one), Sample.hvac(id: two)]), .stored(2)),
    Case("may hold status events", Batch(status: [Sample.status(id: one)]), .stored(1)),
    Case("may be empty", Batch(), .stored(0)),
    Case(
      "is a duplicate the second time", before: [Batch([Sample.vehicle(id: one)], status: [Sample.status(id: two)])],
      Batch([Sample.vehicle(id: one)], status: [Sample.status(id: two)]), .stored(0, duplicates: 2)),
    Case(
      "may be partly known", before: [Batch([Sample.vehicle(id: one)])],
      Batch([Sample.vehicle(id: one), Sample.vehicle(id: two)]), .stored(1, duplicates: 1)),
    Case(
      "may repeat an event within itself",
      Batch(
        [Sample.vehicle(id: one), Sample.vehicle(id: one)], status: [Sample.status(id: two), Sample.status(id: two)]),
      .stored(2, duplicates: 2)),
    Case(
      "may use an id again at another time", before: [Batch([Sample.vehicle(id: one)])],
      Batch([Sample.vehicle(id: one, at: Sample.noon.advanced(byMilliseconds: 1), energy: 2)]), .stored(1)),
    Case(
      "may not reuse an identity", before: [Batch([Sample.vehicle(id: one)])],
      Batch([Sample.vehicle(id: two), Sample.vehicle(id: one, energy: 2)]),
      .refused(rejectedCount: 1, faults: [reused(load: 1)], faultCount: 1)),
    Case(
      "may not reuse an identity within itself", Batch([Sample.vehicle(id: one), Sample.vehicle(id: one, energy: 2)]),
      .refused(rejectedCount: 1, faults: [reused(load: 1)], faultCount: 1)),
    Case(
      "may not reuse a load event's identity for a status event", before: [Batch([Sample.vehicle(id: one)])],
      Batch(status: [Sample.status(id: one)]),
      .refused(rejectedCount: 1, faults: [reused(status: 0)], faultCount: 1)),
    Case(
      "may not reuse a status event's identity for a load event", before: [Batch(status: [Sample.status(id: one)])],
      Batch([Sample.hvac(id: one)]), .refused(rejectedCount: 1, faults: [reused(load: 0)], faultCount: 1)),
    Case(
      "may not use one identity for both kinds", Batch([Sample.hvac(id: one)], status: [Sample.status(id: one)]),
      .refused(rejectedCount: 1, faults: [reused(status: 0)], faultCount: 1)),
  ]

  private static let faulty = [
    Case(
      "is refused for one fault",
      Batch(
        [Sample.vehicle(id: one), Sample.vehicle(id: two)], faults: [.sample(.unknownGuidanceToken, load: 1)]),
      .refused(rejectedCount: 1, faults: [.sample(.unknownGuidanceToken, load: 1)], faultCount: 1)),
    Case(
      "is stored but for its faults where partial success is allowed",
      Batch(
        [Sample.vehicle(id: one), Sample.vehicle(id: two)], faults: [.sample(.unknownGuidanceToken, load: 1)],
        partial: true),
      .partlyAccepted(
        storedCount: 1, duplicateCount: 0, rejectedCount: 1, faults: [.sample(.unknownGuidanceToken, load: 1)],
        faultCount: 1)),
    Case(
      "may be all at fault where partial success is allowed",
      Batch([Sample.vehicle(id: one)], faults: [.sample(.nonzeroAtEnd, load: 0)], partial: true),
      .partlyAccepted(
        storedCount: 0, duplicateCount: 0, rejectedCount: 1, faults: [.sample(.nonzeroAtEnd, load: 0)], faultCount: 1)),
    Case(
      "counts events and faults apart",
      Batch(
        [Sample.vehicle(id: one)],
        faults: [.sample(.timestampOutOfRange, load: 0, field: "timestamp"), .sample(.unknownGuidanceToken, load: 0)],
        partial: true),
      .partlyAccepted(
        storedCount: 0, duplicateCount: 0, rejectedCount: 1,
        faults: [
          .sample(.timestampOutOfRange, load: 0, field: "timestamp"), .sample(.unknownGuidanceToken, load: 0),
        ], faultCount: 2)),
    Case(
      "counts events that are malformed and so not here", malformedBatch(partial: true),
      .partlyAccepted(
        storedCount: 1, duplicateCount: 0, rejectedCount: 2,
        faults: malformedBatch(partial: true).faults, faultCount: 3)),
    Case(
      "is refused where one is malformed", malformedBatch(partial: false),
      .refused(rejectedCount: 2, faults: malformedBatch(partial: false).faults, faultCount: 3)),
    Case(
      "keeps count of faults that were not listed", cutBatch(),
      .refused(rejectedCount: 1, faults: cutBatch().faults, faultCount: 5)),
    Case(
      "is refused whole for a fault of its own",
      Batch([Sample.vehicle(id: one)], status: [Sample.status(id: two)], faults: [.ofBatch], partial: true),
      .refused(rejectedCount: 2, faults: [.ofBatch], faultCount: 1)),
  ]

  private static let forgiven = [
    Case(
      "is forgiven age and token of duplicates",
      before: [Batch([Sample.vehicle(id: one)], status: [Sample.status(id: two)])],
      Batch(
        [Sample.vehicle(id: one)], status: [Sample.status(id: two)],
        faults: [
          .sample(.timestampOutOfRange, load: 0), .sample(.unknownGuidanceToken, load: 0),
          .sample(.timestampOutOfRange, status: 0),
        ]), .stored(0, duplicates: 2)),
    Case(
      "is not forgiven other faults of duplicates", before: [Batch([Sample.vehicle(id: one)])],
      Batch(
        [Sample.vehicle(id: one)], faults: [.sample(.unknownGuidanceToken, load: 0), .sample(.nonzeroAtEnd, load: 0)]),
      .refused(
        rejectedCount: 1, faults: [.sample(.unknownGuidanceToken, load: 0), .sample(.nonzeroAtEnd, load: 0)],
        faultCount: 2)),
    Case(
      "loses only the forgiven faults", before: [Batch([Sample.vehicle(id: two)])],
      Batch(
        [Sample.vehicle(id: one), Sample.vehicle(id: two), Sample.vehicle(id: three)],
        faults: [
          .sample(.unknownGuidanceToken, load: 0), .sample(.unknownGuidanceToken, load: 1),
          .sample(.unknownGuidanceToken, load: 2),
        ]),
      .refused(
        rejectedCount: 2, faults: [.sample(.unknownGuidanceToken, load: 0), .sample(.unknownGuidanceToken, load: 2)],
        faultCount: 2)),
    Case(
      "hears of a reused identity and of its other faults, in the order of the request",
      before: [Batch([Sample.vehicle(id: one), Sample.vehicle(id: two)], status: [Sample.status(id: three)])],
      Batch(
        [Sample.vehicle(id: one, energy: 5), Sample.vehicle(id: two, energy: 6)],
        status: [Sample.status(id: three, .chargerUnplugged)],
        faults: [.sample(.unknownGuidanceToken, load: 1), .sample(.timestampOutOfRange, status: 0)], partial: true),
      .partlyAccepted(
        storedCount: 0, duplicateCount: 0, rejectedCount: 3,
        faults: [
          reused(load: 0), .sample(.unknownGuidanceToken, load: 1), reused(load: 1),
          .sample(.timestampOutOfRange, status: 0), reused(status: 0),
        ], faultCount: 5)),
  ]

  private static func malformedBatch(partial: Bool) -> Batch {
    var batch = Batch(
      [Sample.vehicle(id: one)],
      faults: [
        .sample(.malformed, load: 0, field: "id"), .sample(.malformed, load: 0, field: "session_id"),
        .sample(.malformed, status: 4),
      ], partial: partial)
    batch.loadEvents = [Indexed(index: 1, event: Sample.vehicle(id: one))]
    return batch
  }

  private static func cutBatch() -> Batch {
    var batch = Batch([Sample.vehicle(id: one)], faults: [.sample(.nonzeroAtBegin, load: 0)])
    batch.cutFaultCount = 4
    return batch
  }

  @Test(arguments: StoreKind.allCases, identities + faulty + forgiven)
  func `is judged alike by every store`(kind: StoreKind, example: Case) async throws {
    try await kind.withStore { store in
      for batch in example.before { #expect(await store.outcome(of: batch).storedCount == batch.eventCount) }
      #expect(await store.outcome(of: example.batch).withoutWords == example.outcome.withoutWords)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `leaves nothing behind when it is refused`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let good = [Sample.vehicle(id: Self.one), Sample.vehicle(id: Self.two)]
      let bad = Batch(good + [Sample.vehicle(id: Self.one, energy: 9)], status: [Sample.status(id: Self.three)])
      for _ in 0..<3 {
        guard case .refused = await store.outcome(of: bad) else {
          Issue.record("not refused")
          return
        }
      }
      #expect(await store.outcome(of: Batch(good, status: [Sample.status(id: Self.three)])) == .stored(3))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `does not store the events at fault, so that they may be sent again`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let batch = Batch([Sample.vehicle(id: Self.one), Sample.vehicle(id: Self.two)])
      var faulty = batch
      faulty.faults = [.sample(.unknownGuidanceToken, load: 1)]
      faulty.allowsPartialSuccess = true
      #expect(await store.outcome(of: faulty).storedCount == 1)
      #expect(await store.outcome(of: batch) == .stored(1, duplicates: 1))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `does not touch the same ids of another client or venue`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      var energy: Int64 = 0
      for client in [1, 2] as [UInt64] {
        for venue in [11, 12] as [UInt64] {
          energy += 1
          var batch = Batch([Sample.vehicle(id: Self.one, energy: energy)])
          batch.clientID = Sample.uuid(client)
          batch.venueID = Sample.uuid(venue)
          #expect(await store.outcome(of: batch) == .stored(1))
          #expect(await store.outcome(of: batch) == .stored(0, duplicates: 1))
        }
      }
    }
  }

  /// Every difference counts as other content; every value comes back as it was.
  private static let contents: [SubmittedEvent] = {
    let performances = [
      VehiclePerformance(estimatedRangeMeters: nil, batteryTemperatureCelsius: nil),
      VehiclePerformance(estimatedRangeMeters: 0.1, batteryTemperatureCelsius: nil),
      VehiclePerformance(estimatedRangeMeters: nil, batteryTemperatureCelsius: -12.25),
      VehiclePerformance(estimatedRangeMeters: 1e300, batteryTemperatureCelsius: .leastNonzeroMagnitude),
      VehiclePerformance(estimatedRangeMeters: 3, batteryTemperatureCelsius: 4),
    ]
    let targets = [
      ChargingTarget(
        stateOfCharge: .zero, estimatedCompletionTime: nil, scheduledStartTime: nil, estimatedRangeAtTargetMeters: nil),
      ChargingTarget(
        stateOfCharge: Sample.percent(100), estimatedCompletionTime: Sample.noon, scheduledStartTime: nil,
        estimatedRangeAtTargetMeters: nil),
      ChargingTarget(
        stateOfCharge: Sample.percent(100), estimatedCompletionTime: nil, scheduledStartTime: Sample.noon,
        estimatedRangeAtTargetMeters: 17.5),
    ]
    let id = one
    return [
      .load(Sample.vehicle(id: id)), .load(Sample.vehicle(id: id, energy: 999_999_999_999_999)),
      .load(Sample.vehicle(id: id, state: .active)), .load(Sample.vehicle(id: id, state: .end)),
      .load(Sample.vehicle(id: id, device: "c")), .load(Sample.vehicle(id: id, name: "Garage")),
      .load(Sample.vehicle(id: id, name: String(repeating: "界", count: 250))),
      .load(Sample.hvac(id: id)), .load(Sample.hvac(id: id, stage: 0)), .load(Sample.hvac(id: id, stage: 100)),
      .vehicleStatus(Sample.status(id: id, .chargerPluggedIn)),
      .vehicleStatus(Sample.status(id: id, .chargerUnplugged)),
      .vehicleStatus(Sample.status(id: id, .chargingActive(reason: 7))),
      .vehicleStatus(Sample.status(id: id, .chargingActive(reason: .max))),
      .vehicleStatus(Sample.status(id: id, .chargingIdle(reason: .min))),
      .vehicleStatus(Sample.status(id: id, range: nil)),
      .vehicleStatus(Sample.status(id: id, session: Sample.uuid(5))),
    ] + performances.map { .load(Sample.vehicle(id: id, performance: $0)) }
      + targets.map { .vehicleStatus(Sample.status(id: id, target: $0)) }
  }()

  @Test(arguments: StoreKind.allCases)
  func `has other content if any value differs`(kind: StoreKind) async throws {
    for (place, stored) in Self.contents.enumerated() {
      try await kind.withStore { store in
        if let begin = begin(for: stored) { #expect(await store.outcome(of: Batch([begin])) == .stored(1)) }
        #expect(await store.outcome(of: Batch(stored)) == .stored(1))
        for (otherPlace, other) in Self.contents.enumerated() {
          let expected: SubmissionOutcome =
            otherPlace == place
            ? .stored(0, duplicates: 1)
            : .refused(rejectedCount: 1, faults: [.reused(other.firstPosition)], faultCount: 1)
          #expect(await store.outcome(of: Batch(other)).withoutWords == expected.withoutWords)
        }
      }
    }
  }

  /// What has to come before the event.
  private func begin(for event: SubmittedEvent) -> LoadEvent? {
    switch event {
    case .load(let event) where event.sessionState != .begin:
      Sample.vehicle(id: Self.two, energy: 0, session: event.sessionID)
    case .load: nil
    case .vehicleStatus(let event): event.sessionID.map { Sample.vehicle(id: Self.two, session: $0) }
    }
  }

  @Test(arguments: StoreKind.allCases, [Timestamp.earliest, .latest, Timestamp(milliseconds: -1)])
  func `may be of any time`(kind: StoreKind, time: Timestamp) async throws {
    try await kind.withStore { store in
      let batch = Batch([Sample.vehicle(id: Self.one, at: time)])
      #expect(await store.outcome(of: batch) == .stored(1))
      #expect(await store.outcome(of: batch) == .stored(0, duplicates: 1))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `knows a negative zero as zero`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let events = [0.0, -0.0].map {
        Sample.vehicle(
          id: Self.one, performance: VehiclePerformance(estimatedRangeMeters: $0, batteryTemperatureCelsius: nil))
      }
      #expect(await store.outcome(of: Batch([events[1]])) == .stored(1))
      #expect(await store.outcome(of: Batch(events)) == .stored(0, duplicates: 2))
    }
  }
}

@Suite struct `A store's mailbox` {
  @Test(arguments: StoreKind.allCases)
  func `is never called within the call of submit`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let mailbox = TestMailbox()
      for number in 0..<200 as Range<UInt64> {
        await withCheckedContinuation { continuation in
          let isInside = Lock(true)
          // The lock is held across the call: a delivery within it would find this thread inside.
          let thread = ThreadMark()
          mailbox.submit(Batch([Sample.vehicle(id: Sample.uuid(number))]), to: store) { _ in
            if thread.isCurrent { #expect(!isInside.withLock { $0 }, "delivered within submit") }
            continuation.resume()
          }
          isInside.withLock { $0 = false }
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `hears that the queue is full`(kind: StoreKind) async throws {
    try await kind.withStore(maximumPendingEventCount: 1) { store in
      let outcomes = await store.outcomes(of: (0..<2_000).map { Batch([Sample.vehicle(id: Sample.uuid($0))]) })
      let stored = outcomes.count { $0 == .stored(1) }
      let busy = outcomes.count { $0 == .failed(.busy) }
      #expect(stored > 0 && stored + busy == 2_000)
      #expect(await store.outcome(of: Batch([Sample.vehicle(id: Sample.uuid(5_000))])) == .stored(1))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `hears of everything that was handed over before the store was closed, then that it is`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore { store in
      let mailbox = TestMailbox()
      let outcomes = Lock<[SubmissionOutcome]>([])
      for number in 0..<500 as Range<UInt64> {
        mailbox.submit(Batch([Sample.vehicle(id: Sample.uuid(number))]), to: store) { outcome in
          outcomes.withLock { $0.append(outcome) }
        }
      }
      await store.close()
      #expect(outcomes.withLock { $0 } == Array(repeating: .stored(1), count: 500))
      #expect(await store.outcome(of: Batch([Sample.vehicle(id: Sample.uuid(501))])) == .failed(.closed))
      await #expect(throws: StoreError.closed) { try await store.client(id: Sample.uuid(1)) }
      await #expect(throws: StoreError.closed) { try await store.save(Sample.venue(1)) }
      await store.close()
    }
  }
}
