import EnergyModel
import FoundationEssentials
import Storage
import StorageTestSupport
import Testing

@Suite struct `Random sessions` {
  @Test(arguments: StoreKind.allCases, 0..<12 as Range<UInt64>)
  func `are accepted and stored once, however they are cut and repeated`(kind: StoreKind, seed: UInt64) async throws {
    try await kind.withStore { store in
      var random = SeededRandom(seed: seed)
      let plan = SessionPlan(deviceCount: 9, sessionCount: 6, using: &random)
      let batches = plan.batches(using: &random)
      var totals = (stored: 0, duplicates: 0, others: 0)
      for batch in batches {
        let one = await store.totals(of: [batch])
        totals = (totals.stored + one.stored, totals.duplicates + one.duplicates, totals.others + one.others)
      }
      #expect(totals.stored == plan.events.count)
      #expect(totals.duplicates == batches.reduce(0) { $0 + $1.eventCount } - plan.events.count)
      #expect(totals.others == 0)
      #expect(await store.totals(of: [Batch(plan.events.shuffled(using: &random))]).duplicates == plan.events.count)
    }
  }

  @Test(arguments: StoreKind.allCases, 0..<12 as Range<UInt64>)
  func `may come as one backlog in any order of sessions`(kind: StoreKind, seed: UInt64) async throws {
    try await kind.withStore { store in
      var random = SeededRandom(seed: seed)
      let plan = SessionPlan(deviceCount: 9, sessionCount: 6, using: &random)
      // Events of one time keep their order.
      var mixed = plan.events.indices.shuffled(using: &random)
      for places in Dictionary(grouping: mixed.indices, by: { plan.events[mixed[$0]].timestamp }).values {
        for (place, index) in zip(places, places.map({ mixed[$0] }).sorted()) { mixed[place] = index }
      }
      #expect(await store.outcome(of: Batch(plan.events.inOrder(mixed))) == .stored(plan.events.count))
    }
  }

  /// Breaks one rule in the last of a run of batches.
  enum Mutation: CaseIterable, Sendable {
    case secondBegin, noBegin, afterEnd, earlier, lessEnergy, otherDevice, otherDirection, reusedID

    var reason: LoadEventFault.Reason {
      switch self {
      case .secondBegin, .noBegin, .afterEnd: .sessionOutOfOrder
      case .earlier, .lessEnergy: .notMonotonic
      case .otherDevice, .otherDirection: .sessionMismatch
      case .reusedID: .idReused
      }
    }
  }

  @Test(arguments: StoreKind.allCases, 0..<40 as Range<UInt64>)
  func `are refused with the right reason once one rule is broken, and leave nothing`(
    kind: StoreKind, seed: UInt64
  ) async throws {
    try await kind.withStore { store in
      var random = SeededRandom(seed: seed)
      let plan = SessionPlan(deviceCount: 5, sessionCount: 3, using: &random)
      let cut = Int.random(in: 0..<plan.events.count, using: &random)
      #expect(await store.outcome(of: Batch(Array(plan.events[..<cut]))) == .stored(cut))
      let rest = Array(plan.events[cut...])
      let mutation = Mutation.allCases[Int(seed) % Mutation.allCases.count]
      guard let mutated = mutate(plan.events, from: cut, mutation, using: &random) else { return }
      let outcome = await store.outcome(of: Batch(mutated))
      guard case .refused(_, let faults, _) = outcome else {
        Issue.record("\(mutation) was not refused: \(outcome)")
        return
      }
      #expect(faults.contains { $0.reason == mutation.reason }, "\(mutation)")
      #expect(await store.outcome(of: Batch(rest)) == .stored(rest.count), "nothing of the refused batch is stored")
    }
  }

  /// The events from `cut` on with one fault; `nil` where these events have no place for it.
  private func mutate(
    _ events: [LoadEvent], from cut: Int, _ mutation: Mutation, using random: inout SeededRandom
  ) -> [LoadEvent]? {
    var rest = Array(events[cut...])
    let places = rest.indices.filter { place in
      let event = rest[place]
      switch mutation {
      case .secondBegin, .otherDevice, .reusedID: return event.sessionState == .active
      case .noBegin: return event.sessionState == .begin
      case .afterEnd: return event.sessionState == .end
      case .earlier: return event.sessionState == .active
      case .lessEnergy: return event.sessionState == .active && event.energy > 0
      case .otherDirection: return event.sessionState == .active && event.energy >= 0
      }
    }
    guard let place = places.randomElement(using: &random) else { return nil }
    let event = rest[place]
    switch mutation {
    case .secondBegin: rest[place] = event.changed(state: .begin)
    case .noBegin: rest[place] = event.changed(state: .active)
    case .afterEnd:
      rest.append(
        event.changed(id: random.uuid(), timestamp: event.timestamp.advanced(bySeconds: 100_000), state: .active))
    case .earlier:
      guard let begin = events.first(where: { $0.sessionID == event.sessionID }) else { return nil }
      // A batch is put in order of time: only what was sent before can be later.
      guard events[..<cut].contains(where: { $0.sessionID == event.sessionID }) else { return nil }
      rest[place] = event.changed(timestamp: begin.timestamp.advanced(byMilliseconds: -1))
    case .lessEnergy:
      rest.append(
        event.changed(id: random.uuid(), timestamp: event.timestamp, state: .active, energy: event.energy - 1))
    case .otherDevice: rest[place] = event.changed(device: "another")
    case .otherDirection: rest[place] = event.changed(flips: true)
    case .reusedID: rest.append(event.changed(follows: !event.wasFollowingGuidance))
    }
    return rest
  }
}

extension [LoadEvent] {
  fileprivate func inOrder(_ places: [Int]) -> [LoadEvent] { places.map { self[$0] } }
}

extension LoadEvent {
  /// -1 for HVAC.
  fileprivate var energy: Int64 {
    switch measurement {
    case .electricVehicle(let measurement): measurement.energy.milliwattHours
    case .hvac: -1
    }
  }

  fileprivate func changed(
    id: UUID? = nil, timestamp: Timestamp? = nil, state: SessionState? = nil, energy: Int64? = nil,
    device: String? = nil, flips: Bool = false, follows: Bool? = nil
  ) -> LoadEvent {
    var measurement = measurement
    if case .electricVehicle(let old) = measurement {
      let direction: ElectricityFlowDirection = (old.direction == .imported) != flips ? .imported : .exported
      measurement = .electricVehicle(
        ElectricVehicleMeasurement(
          stateOfCharge: old.stateOfCharge, direction: direction, power: old.power,
          energy: energy.map(Sample.energy) ?? old.energy, performance: old.performance))
    }
    return LoadEvent(
      id: id ?? self.id, timestamp: timestamp ?? self.timestamp, sessionID: sessionID,
      sessionState: state ?? sessionState, wasFollowingGuidance: follows ?? wasFollowingGuidance,
      guidanceToken: guidanceToken,
      device: device.map { DeviceIdentity(id: Sample.device($0), name: nil) } ?? self.device, measurement: measurement)
  }
}
