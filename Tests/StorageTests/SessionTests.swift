import EnergyModel
import FoundationEssentials
import Storage
import StorageTestSupport
import Testing

@Suite struct `A load session` {
  /// What becomes of the last batch once those before it were accepted.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let batches: [Batch]
    /// Paths and reasons; none where the batch is accepted.
    let faults: [String]

    init(_ name: String, _ batches: Batch..., faults: [String] = []) {
      testDescription = name
      self.batches = batches
      self.faults = faults
    }
  }

  private static func event(
    _ number: UInt64, at seconds: Int64, _ state: SessionState = .active, energy: Int64? = nil, session: UInt64 = 500,
    device: String = "charger-1", name: String? = nil, direction: ElectricityFlowDirection = .imported
  ) -> LoadEvent {
    Sample.vehicle(
      id: Sample.uuid(number), at: Sample.noon.advanced(bySeconds: seconds), energy: energy ?? max(0, seconds),
      state: state, session: Sample.uuid(session), device: device, name: name, direction: direction)
  }

  private static func hvac(
    _ number: UInt64, at seconds: Int64, _ state: SessionState = .active, session: UInt64 = 500,
    device: String = "heat pump"
  ) -> LoadEvent {
    Sample.hvac(
      id: Sample.uuid(number), at: Sample.noon.advanced(bySeconds: seconds), state: state,
      session: Sample.uuid(session), device: device)
  }

  private static let begun = Batch([event(1, at: 0, .begin)])
  private static let ended = Batch([event(1, at: 0, .begin), event(2, at: 60), event(3, at: 60, .end)])

  private static let order = [
    Case(
      "begins, goes on, ends", begun, Batch([event(2, at: 60)]), Batch([event(3, at: 60)]),
      Batch([event(4, at: 90, .end)])),
    Case("may end at once", begun, Batch([event(2, at: 0, .end)])),
    Case(
      "has no events before its begin", Batch([event(2, at: 60)]),
      faults: ["load_events[0].session_state SESSION_OUT_OF_ORDER"]),
    Case(
      "does not end before its begin", Batch([event(2, at: 60, .end)]),
      faults: ["load_events[0].session_state SESSION_OUT_OF_ORDER"]),
    Case(
      "begins once", begun, Batch([event(2, at: 60, .begin)]),
      faults: ["load_events[0].session_state SESSION_OUT_OF_ORDER"]),
    Case(
      "takes nothing after its end", ended, Batch([event(4, at: 90)]),
      faults: ["load_events[0].session_state SESSION_OUT_OF_ORDER"]),
    Case(
      "ends once", ended, Batch([event(4, at: 90, .end)]), faults: ["load_events[0].session_state SESSION_OUT_OF_ORDER"]
    ),
    Case(
      "does not begin again after its end", ended, Batch([event(4, at: 90, .begin)]),
      faults: ["load_events[0].session_state SESSION_OUT_OF_ORDER"]),
    Case(
      "may come as a backlog in any order", Batch([event(3, at: 90, .end), event(2, at: 60), event(1, at: 0, .begin)])),
    Case(
      "keeps the order of the list where times are equal",
      Batch([event(1, at: 0, .begin), event(2, at: 0), event(3, at: 0, .end)])),
    Case(
      "is not put in order by state where times are equal", Batch([event(2, at: 0), event(1, at: 0, .begin)]),
      faults: ["load_events[0].session_state SESSION_OUT_OF_ORDER"]),
    Case(
      "may be sent again, late and in part", ended, Batch([event(4, at: 99, .begin, session: 501)]),
      Batch([event(2, at: 60), event(1, at: 0, .begin)])),
    Case(
      "is judged by what was accepted",
      Batch([event(1, at: 0, .begin)], faults: [.sample(.unknownGuidanceToken, load: 0)], partial: true),
      Batch([event(2, at: 60)]), faults: ["load_events[0].session_state SESSION_OUT_OF_ORDER"]),
    Case("may be silent for days", begun, Batch([event(2, at: 20 * 86_400)])),
  ]

  private static let measures = [
    Case("may stand still", begun, Batch([event(2, at: 0, energy: 0), event(3, at: 0, energy: 0)])),
    Case(
      "does not go back in time", begun, Batch([event(2, at: -1, energy: 5)]),
      faults: ["load_events[0].timestamp NOT_MONOTONIC"]),
    Case(
      "does not lose energy", begun, Batch([event(2, at: 60, energy: 10)]), Batch([event(3, at: 61, energy: 9)]),
      faults: ["load_events[0].electric_vehicle.energy_milliwatt_hours NOT_MONOTONIC"]),
    Case(
      "does not lose energy within a backlog",
      Batch([event(2, at: 60, energy: 9), event(3, at: 59, energy: 10), event(1, at: 0, .begin)]),
      faults: ["load_events[0].electric_vehicle.energy_milliwatt_hours NOT_MONOTONIC"]),
    Case(
      "hears of time and energy", begun, Batch([event(2, at: 60, energy: 10)]), Batch([event(3, at: 59, energy: 9)]),
      faults: [
        "load_events[0].timestamp NOT_MONOTONIC",
        "load_events[0].electric_vehicle.energy_milliwatt_hours NOT_MONOTONIC",
      ]),
  ]

  private static let belonging = [
    Case(
      "stays with its device", begun, Batch([event(2, at: 60, device: "c2")]),
      faults: ["load_events[0].device_id SESSION_MISMATCH"]),
    Case(
      "stays with its device, also where it has a name", begun, Batch([event(2, at: 60, device: "c2", name: "Car")]),
      faults: ["load_events[0].device.id SESSION_MISMATCH"]),
    Case(
      "stays with its direction", begun, Batch([event(2, at: 60, direction: .exported)]),
      faults: ["load_events[0].electric_vehicle.direction SESSION_MISMATCH"]),
    Case(
      "stays what it is", begun, Batch([hvac(2, at: 60, device: "charger-1")]),
      faults: ["load_events[0].electric_vehicle.direction SESSION_MISMATCH"]),
    Case(
      "hears of device and direction", begun, Batch([event(2, at: 60, device: "c2", direction: .exported)]),
      faults: [
        "load_events[0].device_id SESSION_MISMATCH", "load_events[0].electric_vehicle.direction SESSION_MISMATCH",
      ]),
    Case("may change the device's name", begun, Batch([event(2, at: 60, name: "Garage")])),
  ]

  private static let others = [
    Case(
      "ends one of the same device", begun, Batch([event(2, at: 5, .begin, session: 501)]), Batch([event(3, at: 6)]),
      faults: ["load_events[0].session_state SESSION_OUT_OF_ORDER"]),
    Case(
      "may begin when the one it ends was heard last", begun, Batch([event(2, at: 60)]),
      Batch([event(3, at: 60, .begin, session: 501)])),
    Case(
      "does not begin before the one that it would end was heard last", begun, Batch([event(2, at: 60)]),
      Batch([event(3, at: 59, .begin, session: 501)]), faults: ["load_events[0].timestamp SESSION_OUT_OF_ORDER"]),
    Case("may begin before another that has ended", ended, Batch([event(4, at: -60, .begin, session: 501)])),
    Case(
      "leaves the other direction open", begun, Batch([event(2, at: 5, .begin, session: 501, direction: .exported)]),
      Batch([event(3, at: 6), event(4, at: 7, session: 501, direction: .exported)])),
    Case(
      "leaves other devices alone", begun,
      Batch([event(2, at: -5, .begin, session: 501, device: "c2"), hvac(3, at: -5, .begin, session: 502)]),
      Batch([event(4, at: 6), hvac(5, at: 7, .end, session: 502)])),
    Case(
      "follows another in one batch, in any order",
      Batch([
        event(4, at: 70, session: 501), event(3, at: 61, .begin, session: 501), event(2, at: 60),
        event(1, at: 0, .begin),
      ])),
    Case(
      "ends another only if it is accepted", begun,
      Batch([event(2, at: 5, .begin, session: 501)], faults: [.sample(.unknownGuidanceToken, load: 0)], partial: true),
      Batch([event(3, at: 6)])),
  ]

  /// A batch whose begin, at 0, was refused before the writer saw it.
  private static func unbegun(partial: Bool) -> Batch {
    var batch = Batch([event(2, at: 60), event(3, at: 60, session: 501)], partial: partial)
    batch.loadEvents = batch.loadEvents.map { Indexed(index: $0.index + 1, event: $0.event) }
    batch.faults = [.sample(.nonzeroAtBegin, load: 0)]
    batch.refusedSessionIDs = [Sample.uuid(500)]
    return batch
  }

  private static func badToken(partial: Bool) -> Batch {
    Batch(
      [event(1, at: 0, .begin), event(2, at: 60, energy: 5), event(3, at: 61, energy: 4)],
      faults: [.sample(.unknownGuidanceToken, load: 0)], partial: partial)
  }

  private static let consequences = [
    Case(
      "is not blamed for a begin that is at fault itself", unbegun(partial: false),
      faults: ["load_events[0].guidance_token NONZERO_AT_BEGIN", "load_events[2].session_state SESSION_OUT_OF_ORDER"]),
    Case(
      "is not stored without its begin", unbegun(partial: true),
      faults: [
        "load_events[0].guidance_token NONZERO_AT_BEGIN", "load_events[1].session_state SESSION_OUT_OF_ORDER",
        "load_events[2].session_state SESSION_OUT_OF_ORDER",
      ]),
    Case(
      "hears of each fault of its own", badToken(partial: false),
      faults: [
        "load_events[0].guidance_token UNKNOWN_GUIDANCE_TOKEN",
        "load_events[2].electric_vehicle.energy_milliwatt_hours NOT_MONOTONIC",
      ]),
    Case(
      "hears why the rest is not stored", badToken(partial: true),
      faults: [
        "load_events[0].guidance_token UNKNOWN_GUIDANCE_TOKEN", "load_events[1].session_state SESSION_OUT_OF_ORDER",
        "load_events[2].session_state SESSION_OUT_OF_ORDER",
      ]),
  ]

  private static let statuses = [
    Case(
      "may be named by a status event", begun,
      Batch(status: [Sample.status(id: Sample.uuid(9), session: Sample.uuid(500))])),
    Case(
      "may be named when it has ended", ended,
      Batch(status: [Sample.status(id: Sample.uuid(9), session: Sample.uuid(500))])),
    Case(
      "may be named in its own batch",
      Batch([event(1, at: 0, .begin)], status: [Sample.status(id: Sample.uuid(9), session: Sample.uuid(500))])),
    Case(
      "must exist to be named", Batch(status: [Sample.status(id: Sample.uuid(9), session: Sample.uuid(500))]),
      faults: ["vehicle_status_events[0].session_id SESSION_OUT_OF_ORDER"]),
  ]

  @Test(arguments: StoreKind.allCases, order + measures + belonging + others + consequences + statuses)
  func `is judged alike by every store`(kind: StoreKind, example: Case) async throws {
    try await kind.withStore { store in
      for batch in example.batches.dropLast() where !batch.allowsPartialSuccess {
        #expect(await store.outcome(of: batch).isAccepted)
      }
      let last = try #require(example.batches.last)
      let outcome = await store.outcome(of: last)
      #expect(outcome.faultTexts == example.faults)
      #expect(outcome.isAccepted == example.faults.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `leaves nothing behind when its batch is refused`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      #expect(await store.outcome(of: Self.begun) == .stored(1))
      let bad = Batch([
        Self.event(2, at: 30), Self.event(3, at: 40, .begin, session: 501), Self.event(4, at: 41, .end, session: 501),
        Self.event(5, at: 50),
      ])
      for _ in 0..<2 {
        #expect(await store.outcome(of: bad).faultTexts == ["load_events[3].session_state SESSION_OUT_OF_ORDER"])
      }
      #expect(await store.outcome(of: Batch([Self.event(6, at: 10)])) == .stored(1))
      #expect(await store.outcome(of: Batch([Self.event(7, at: 40, .begin, session: 501)])) == .stored(1))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `is one of 64 that are open; the one silent longest ends`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      func begin(_ number: UInt64, at seconds: Int64) -> Batch {
        Batch([Self.event(number, at: seconds, .begin, session: 1_000 + number, device: "d\(number)")])
      }
      func goOn(_ number: UInt64, at seconds: Int64) -> Batch {
        Batch([Self.event(5_000 + UInt64(seconds) + number, at: seconds, session: 1_000 + number, device: "d\(number)")]
        )
      }
      // Two that will have been silent for 48 hours, and 64 that will not.
      for number in 0..<2 as Range<UInt64> { #expect(await store.outcome(of: begin(number, at: 0)) == .stored(1)) }
      let later: Int64 = 48 * 3_600
      for number in 2..<66 as Range<UInt64> {
        #expect(await store.outcome(of: begin(number, at: later + Int64(number))) == .stored(1))
      }
      #expect(await store.outcome(of: goOn(2, at: later + 100)) == .stored(1))
      #expect(await store.outcome(of: begin(66, at: later + 200)) == .stored(1))
      #expect(await store.outcome(of: goOn(0, at: later + 201)) == .stored(1), "silent, but open; it counts again")
      #expect(await store.outcome(of: goOn(2, at: later + 202)) == .stored(1), "heard since")
      for (number, moment) in [(3, 203), (4, 204)] as [(UInt64, Int64)] {
        #expect(
          await store.outcome(of: goOn(number, at: later + moment)).faultTexts == [
            "load_events[0].session_state SESSION_OUT_OF_ORDER"
          ])
      }
      #expect(await store.outcome(of: goOn(5, at: later + 205)) == .stored(1))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `may be one of 256 devices`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      let devices = (0..<255 as Range<UInt64>).map {
        Self.event($0, at: 0, .begin, session: 1_000 + $0, device: "d\($0)")
      }
      #expect(await store.outcome(of: Batch(devices)) == .stored(255))
      let status = Batch(status: [Sample.status(id: Sample.uuid(900))])
      #expect(await store.outcome(of: status) == .stored(1))
      let next = Batch([Self.event(901, at: 0, .begin, session: 2_000, device: "more")])
      #expect(await store.outcome(of: next).faultTexts == ["load_events[0].device_id INVALID_DEVICE"])
      #expect(await store.outcome(of: status) == .stored(0, duplicates: 1))
      #expect(
        await store.outcome(of: Batch([Self.event(902, at: 99, .begin, session: 2_001, device: "d7")])) == .stored(1))
      var elsewhere = next
      elsewhere.venueID = Sample.uuid(3)
      #expect(await store.outcome(of: elsewhere) == .stored(1))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `is its client's and venue's own`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      for client in [1, 7] as [UInt64] {
        for venue in [2, 8] as [UInt64] {
          for batch in [Self.begun, Batch([Self.event(2, at: 60)]), Batch([Self.event(3, at: 60, .end)])] {
            var batch = batch
            batch.clientID = Sample.uuid(client)
            batch.venueID = Sample.uuid(venue)
            #expect(await store.outcome(of: batch) == .stored(1))
            #expect(await store.outcome(of: batch) == .stored(0, duplicates: 1))
          }
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `has one of two begins that race`(kind: StoreKind) async throws {
    try await kind.withStore { store in
      for session in 0..<50 as Range<UInt64> {
        let begins = (0..<16 as Range<UInt64>).map { number in
          Batch([Self.event(session * 100 + number, at: Int64(session), .begin, session: 10_000 + session)])
        }
        let outcomes = await store.outcomes(of: begins)
        #expect(outcomes.count { $0 == .stored(1) } == 1)
        #expect(outcomes.count { $0.faultTexts == ["load_events[0].session_state SESSION_OUT_OF_ORDER"] } == 15)
      }
    }
  }
}

extension SubmissionOutcome {
  var isAccepted: Bool {
    if case .accepted = self { return true }
    return false
  }

  /// Paths and reasons.
  var faultTexts: [String] {
    switch self {
    case .accepted, .failed: []
    case .partlyAccepted(_, _, _, let faults, _), .refused(_, let faults, _):
      faults.map { "\($0.path) \($0.reason.rawValue)" }
    }
  }
}
