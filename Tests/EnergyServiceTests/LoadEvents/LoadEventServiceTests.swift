import EnergyModel
import FoundationEssentials
import Locking
import ServiceTestSupport
import Storage
import Testing

@testable import EnergyService

/// One client at one venue, with a token, and events to send.
private final class Bench {
  let store = ProbeStore()
  let clock = ManualClock()
  let caller: Caller
  let venue = makeVenue()
  let codec: GuidanceTokenCodec
  let service: LoadEventService
  let mailbox = Mailbox()

  init(_ entitlements: Set<Entitlement> = [.energyKit]) throws {
    caller = Caller(makeClient("hub", entitlements))
    codec = try GuidanceTokenCodec(GuidanceTokenKeys([makeMasterKey(1)]))
    service = LoadEventService(store: store, clock: clock.service)
  }

  func pass(_ access: VenueAccess = .granted) -> VenuePass {
    VenuePass(VenueGrant(venue: venue, access: access), clientID: caller.id)
  }

  func token(ageSeconds: Int64 = 0, clientID: UUID? = nil, venueID: UUID? = nil) throws -> UUID {
    try codec.token(
      issueTime: Timestamp(seconds: clock.now.seconds - ageSeconds), number: 1,
      tag: codec.tag(clientID: clientID ?? caller.id, venueID: venueID ?? venue.id))
  }

  func event(_ token: UUID, ageMilliseconds: Int64 = 0) throws -> LoadEvent {
    LoadEvent(
      id: UUID(), timestamp: clock.now.advanced(byMilliseconds: -ageMilliseconds), sessionID: UUID(),
      sessionState: .begin, wasFollowingGuidance: true, guidanceToken: token,
      device: DeviceIdentity(id: try #require(DeviceID("wallbox")), name: nil),
      measurement: .hvac(HVACMeasurement(stage: .zero)))
  }

  func status(ageMilliseconds: Int64) throws -> ElectricVehicleStatusEvent {
    ElectricVehicleStatusEvent(
      id: UUID(), timestamp: clock.now.advanced(byMilliseconds: -ageMilliseconds),
      device: ElectricalLoadDevice(id: try #require(DeviceID("car")), name: "car", type: .electricVehicle),
      status: .chargerPluggedIn, stateOfCharge: .zero, batteryEnergy: .zero, estimatedRangeMeters: nil,
      chargingTarget: nil, sessionID: nil)
  }

  func batch(_ events: [LoadEvent], _ statuses: [ElectricVehicleStatusEvent] = []) -> EventBatch {
    EventBatch(
      loadEvents: events.enumerated().map { Indexed(index: $0, event: $1) },
      statusEvents: statuses.enumerated().map { Indexed(index: $0, event: $1) })
  }

  @discardableResult
  func submit(_ batch: EventBatch, at pass: VenuePass?) throws -> EventSubmission? {
    let submission = try service.submission(
      of: batch, as: caller, at: pass, tokens: codec, mailbox: mailbox, ticket: mailbox)
    service.submit([submission])
    return store.submissions.last
  }

  /// Paths and reasons of what was found.
  func faults(_ batch: EventBatch) throws -> [String] {
    try submit(batch, at: pass())?.faults.map { "\($0.path) \($0.reason.rawValue)" } ?? []
  }
}

private final class Mailbox: SubmissionMailbox {
  private let results = Lock<[SubmissionResult]>([])

  func deliver(_ results: [SubmissionResult]) { self.results.withLock { $0 += results } }

  func next() async -> SubmissionResult {
    while true {
      if let result = results.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return result }
      try? await Task.sleep(for: .milliseconds(1))
    }
  }
}

@Suite struct `A batch of load events` {
  private static let day: Int64 = 86_400_000

  @Test func `goes to the store with what is known of it`() async throws {
    let bench = try Bench()
    let token = try bench.token()
    let batch = bench.batch([try bench.event(token), try bench.event(token)], [try bench.status(ageMilliseconds: 0)])
    let submission = try #require(try bench.submit(batch, at: bench.pass()))
    #expect(submission.clientID == bench.caller.id)
    #expect(submission.venueID == bench.venue.id)
    #expect(submission.loadEvents == batch.loadEvents && submission.statusEvents == batch.statusEvents)
    #expect(submission.faults.isEmpty && submission.faultCount == 0)
    #expect(submission.receivedAt == bench.clock.now)
    let result = await bench.mailbox.next()
    let receipt = try LoadEventService.receipt(for: result.outcome, of: result.submission, eventCount: 3)
    #expect(receipt.storedCount == 3 && receipt.duplicateCount == 0 && receipt.rejectedCount == 0)
  }

  @Test(
    arguments: [
      (30 * day, true), (30 * day + 1, false), (0, true), (-300_000, true), (-300_001, false), (.max, false),
      (.min + 1, false),
    ] as [(Int64, Bool)])
  func `is judged by the age of its events`(age: Int64, isTaken: Bool) throws {
    let bench = try Bench()
    let batch = bench.batch(
      [try bench.event(bench.token(), ageMilliseconds: age)], [try bench.status(ageMilliseconds: age)])
    let faults = ["load_events[0].timestamp", "vehicle_status_events[0].timestamp"]
    #expect(try bench.faults(batch) == (isTaken ? [] : faults.map { "\($0) TIMESTAMP_OUT_OF_RANGE" }))
  }

  @Test func `is judged by its tokens, each event for itself`() throws {
    let bench = try Bench()
    let good = try bench.token()
    let tokens = [
      good, try bench.token(ageSeconds: 35 * 86_400), try bench.token(ageSeconds: 35 * 86_400 + 1), UUID(), good,
      try bench.token(clientID: UUID()), try bench.token(venueID: UUID()), try bench.token(ageSeconds: -300),
      try bench.token(ageSeconds: -301), good,
    ]
    for _ in 0..<2 {
      #expect(
        try bench.faults(bench.batch(tokens.map { try bench.event($0) }))
          == [2, 3, 5, 6, 8].map { "load_events[\($0)].guidance_token UNKNOWN_GUIDANCE_TOKEN" })
    }
  }

  @Test func `has all its faults in the order of the request, counted right`() throws {
    let bench = try Bench()
    let good = try bench.token()
    var batch = bench.batch(
      [try bench.event(good), try bench.event(UUID(), ageMilliseconds: 31 * Self.day), try bench.event(UUID())],
      [try bench.status(ageMilliseconds: 31 * Self.day)])
    batch.loadEvents = batch.loadEvents.map { Indexed(index: $0.index * 2, event: $0.event) }
    batch.faults = [
      LoadEventFault(position: nil, field: "load_events", reason: .malformed, description: ""),
      LoadEventFault(position: .loadEvent(1), field: "id", reason: .malformed, description: ""),
      LoadEventFault(position: .loadEvent(3), field: "id", reason: .malformed, description: ""),
      LoadEventFault(position: .vehicleStatusEvent(7), field: "id", reason: .malformed, description: ""),
    ]
    batch.faultCount = 2_000
    let submission = try #require(try bench.submit(batch, at: bench.pass()))
    #expect(
      submission.faults.map(\.path) == [
        "load_events", "load_events[1].id", "load_events[2].timestamp", "load_events[2].guidance_token",
        "load_events[3].id", "load_events[4].guidance_token", "vehicle_status_events[0].timestamp",
        "vehicle_status_events[7].id",
      ])
    #expect(submission.faultCount == 2_004)
  }

  @Test func `is forgiven time and token where every event was stored before`() async throws {
    let bench = try Bench()
    let batch = bench.batch([try bench.event(bench.token()), try bench.event(bench.token())])
    try bench.submit(batch, at: bench.pass())
    _ = await bench.mailbox.next()
    bench.clock.advance(seconds: 60 * 86_400)
    #expect(try bench.faults(batch).count == 4)
    let result = await bench.mailbox.next()
    let receipt = try LoadEventService.receipt(for: result.outcome, of: result.submission, eventCount: 2)
    #expect(receipt.storedCount == 0 && receipt.duplicateCount == 2 && receipt.rejectedCount == 0)
  }

  @Test func `is refused whole where one event is at fault`() async throws {
    let bench = try Bench()
    try bench.submit(bench.batch([try bench.event(bench.token()), try bench.event(UUID())]), at: bench.pass())
    let result = await bench.mailbox.next()
    let error = #expect(throws: EnergyKitError.self) {
      try LoadEventService.receipt(for: result.outcome, of: result.submission, eventCount: 2)
    }
    guard case .invalidLoadEvent(let faults) = error else { return #expect(Bool(false), "\(error as Any)") }
    #expect(faults.faults.map(\.reason) == [.unknownGuidanceToken])
    #expect(faults.faultCount == 1 && faults.serverTime == bench.clock.now)
  }

  @Test func `is stored in part where that is allowed`() async throws {
    let bench = try Bench()
    var batch = bench.batch([try bench.event(bench.token()), try bench.event(UUID())])
    batch.allowsPartialSuccess = true
    try bench.submit(batch, at: bench.pass())
    let result = await bench.mailbox.next()
    let receipt = try LoadEventService.receipt(for: result.outcome, of: result.submission, eventCount: 7)
    #expect(receipt.storedCount == 1 && receipt.rejectedCount == 6)
    #expect(receipt.faults.map(\.reason) == [.unknownGuidanceToken])
  }

  @Test func `has at most 1,000 faults listed in the answer, and all counted`() async throws {
    let bench = try Bench()
    try bench.submit(bench.batch(try (0..<2_500).map { _ in try bench.event(UUID()) }), at: bench.pass())
    let result = await bench.mailbox.next()
    let error = #expect(throws: EnergyKitError.self) {
      try LoadEventService.receipt(for: result.outcome, of: result.submission, eventCount: 2_500)
    }
    guard case .invalidLoadEvent(let faults) = error else { return #expect(Bool(false), "\(error as Any)") }
    #expect(faults.faults.count == 1_000 && faults.faultCount == 2_500)
  }

  @Test(arguments: [
    (StoreError.busy, 1), (.closed, 5), (.failed(operation: "write", reason: "disk full"), 5), (.inUse("x"), 5),
  ])
  func `may be tried again where the store failed`(error: StoreError, seconds: Int) throws {
    let bench = try Bench()
    let submission = try #require(try bench.submit(bench.batch([]), at: bench.pass()))
    #expect(throws: EnergyKitError.serviceUnavailable(retryAfterSeconds: seconds)) {
      try LoadEventService.receipt(for: .failed(error), of: submission, eventCount: 0)
    }
  }

  @Test func `of a restricted guest does not reach the store`() throws {
    let bench = try Bench()
    let error = #expect(throws: EnergyKitError.self) { try bench.submit(bench.batch([]), at: bench.pass(.restricted)) }
    guard case .invalidLoadEvent(let faults) = error else { return #expect(Bool(false), "\(error as Any)") }
    #expect(faults.faults.map { "\($0.path) \($0.reason.rawValue)" } == ["venue_id RESTRICTED"])
    #expect(faults.faultCount == 1)
    #expect(bench.store.submissions.isEmpty)
  }

  @Test func `does not reach the store where access is missing`() throws {
    let bench = try Bench()
    #expect(throws: EnergyKitError.permissionDenied(.venue)) {
      try bench.submit(bench.batch([]), at: bench.pass(.denied))
    }
    #expect(throws: EnergyKitError.venueUnavailable) { try bench.submit(bench.batch([]), at: nil) }
    #expect(bench.store.submissions.isEmpty)
  }

  @Test func `needs the entitlement before the venue`() throws {
    let bench = try Bench([.loadEventsExperience])
    #expect(throws: EnergyKitError.permissionDenied(.entitlement(.energyKit))) {
      try bench.submit(bench.batch([]), at: nil)
    }
  }
}
