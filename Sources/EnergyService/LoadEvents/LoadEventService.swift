package import EnergyModel
internal import FoundationEssentials
package import Storage

/// LoadEventService without its messages: judges what needs no session history on the caller's loop and hands the batch
/// to the store's writer, which judges the rest in commit order (docs/architecture.md, Load events).
package struct LoadEventService: Sendable {
  /// Faults that an answer lists; more are only counted.
  package static let maximumFaultCount = 1_000
  /// How far ahead of the server's clock an event may lie.
  package static let maximumLeadMilliseconds: Int64 = 5 * 60 * 1000
  /// How old an event may be when it arrives first.
  package static let maximumAgeMilliseconds: Int64 = 30 * 24 * 3600 * 1000

  private let store: any EnergyStore
  private let clock: ServiceClock

  package init(store: any EnergyStore, clock: ServiceClock) {
    self.store = store
    self.clock = clock
  }

  /// Judges a batch: what it returns is for `submit`, and its outcome then goes to `mailbox`, always.
  ///
  /// - Parameters:
  ///   - pass: What the caller's loop knows of the venue; `nil` where it is absent to the caller.
  ///   - tokens: The loop's own.
  ///   - order: That of the batches it must not overtake.
  /// - Throws: `permissionDenied`, `venueUnavailable`; `invalidLoadEvent` for a restricted guest, whatever is in the
  ///   batch; `rateLimitExceeded` where the client's budget does not hold it. What it took of the budget is to be given
  ///   back for events that are not stored.
  package func submission(
    of batch: EventBatch, as caller: Caller, at pass: VenuePass?, tokens: GuidanceTokenCodec,
    order: SubmissionOrder? = nil, mailbox: any SubmissionMailbox, ticket: any AnyObject & Sendable
  ) throws(EnergyKitError) -> EventSubmission {
    try caller.require(.energyKit)
    let pass = try pass.visible()
    let now = clock.now
    guard pass.access != .restricted else { throw .invalidLoadEvent(Self.restriction(at: now)) }
    try caller.budget.takeEvents(batch.eventCount)
    let found = Self.judge(batch, pass: pass, tokens: tokens, now: now)
    return EventSubmission(
      clientID: caller.id, venueID: pass.venue.id, loadEvents: batch.loadEvents, statusEvents: batch.statusEvents,
      faults: found.isEmpty ? batch.faults : Self.merge(batch.faults, found),
      faultCount: batch.faultCount + found.count, refusedSessionIDs: batch.refusedSessionIDs,
      allowsPartialSuccess: batch.allowsPartialSuccess, receivedAt: now,
      order: order, mailbox: mailbox, ticket: ticket)
  }

  /// Hands judged batches to the store, best all that a turn of the loop brought: it wakes the writer once.
  package func submit(_ submissions: [EventSubmission]) {
    store.submit(submissions)
  }

  /// What the caller hears of an outcome.
  ///
  /// - Parameter eventCount: Events in the request, well formed or not.
  /// - Throws: `invalidLoadEvent` where the batch was refused, `serviceUnavailable` where the store failed.
  package static func receipt(
    for outcome: SubmissionOutcome, of submission: EventSubmission, eventCount: Int
  ) throws(EnergyKitError) -> SubmissionReceipt {
    switch outcome {
    case .accepted(let storedCount, let duplicateCount):
      return SubmissionReceipt(
        storedCount: storedCount, duplicateCount: duplicateCount, rejectedCount: 0, faults: [], faultCount: 0)
    case .partlyAccepted(let storedCount, let duplicateCount, _, let faults, let faultCount):
      // The store knows only of events whose faults were kept.
      return SubmissionReceipt(
        storedCount: storedCount, duplicateCount: duplicateCount,
        rejectedCount: eventCount - storedCount - duplicateCount,
        faults: Array(faults.prefix(maximumFaultCount)), faultCount: faultCount)
    case .refused(_, let faults, let faultCount):
      throw .invalidLoadEvent(
        InvalidLoadEvents(
          faults: Array(faults.prefix(maximumFaultCount)), faultCount: faultCount, serverTime: submission.receivedAt,
          concernsTime: faults.contains { $0.reason == .timestampOutOfRange }))
    case .failed(let error):
      throw EnergyKitError(error)
    }
  }

  /// Events at fault in a batch that was refused.
  ///
  /// - Parameter eventCount: Events in the request, well formed or not.
  package static func rejectedCount(
    of outcome: SubmissionOutcome, of submission: EventSubmission, eventCount: Int
  ) -> Int {
    guard case .refused(let count, _, _) = outcome else { return 0 }
    // Those that are in no list of the submission, of which the writer knows only where their faults were kept.
    let listed = Set(
      submission.loadEvents.map { EventPosition.loadEvent($0.index) }
        + submission.statusEvents.map { .vehicleStatusEvent($0.index) })
    let known = Set(submission.faults.compactMap(\.position)).subtracting(listed).count
    return count - known + max(known, eventCount - listed.count)
  }

  private static func restriction(at now: Timestamp) -> InvalidLoadEvents {
    let fault = LoadEventFault(
      position: nil, field: "venue_id", reason: .restricted,
      description: "a restricted guest of the home may not submit events")
    return InvalidLoadEvents(faults: [fault], faultCount: 1, serverTime: now)
  }

  // MARK: Rules

  /// Faults of time and token, in the order of the request. None is left out: a duplicate is forgiven these, so the
  /// writer has to know each one.
  private static func judge(
    _ batch: EventBatch, pass: VenuePass, tokens: GuidanceTokenCodec, now: Timestamp
  ) -> [LoadEventFault] {
    var faults: [LoadEventFault] = []
    var judge = TimeAndTokenJudge(pass: pass, tokens: tokens, now: now)
    for indexed in batch.loadEvents {
      let event = indexed.event
      judge.judge(.loadEvent(indexed.index), event.timestamp, event.guidanceToken, &faults)
    }
    for indexed in batch.statusEvents {
      judge.judge(.vehicleStatusEvent(indexed.index), indexed.event.timestamp, nil, &faults)
    }
    guard !batch.malformedEvents.isEmpty else { return faults }
    var others: [LoadEventFault] = []
    for event in batch.malformedEvents { judge.judge(event.position, event.timestamp, event.guidanceToken, &others) }
    return merge(faults, others)
  }

  /// Both in the order of the request; so is the result.
  private static func merge(_ a: [LoadEventFault], _ b: [LoadEventFault]) -> [LoadEventFault] {
    var result: [LoadEventFault] = []
    result.reserveCapacity(a.count + b.count)
    var next = 0
    for fault in b {
      while next < a.count, order(a[next]) <= order(fault) {
        result.append(a[next])
        next += 1
      }
      result.append(fault)
    }
    result.append(contentsOf: a[next...])
    return result
  }

  /// Faults of the batch first, then load events, then status events.
  private static func order(_ fault: LoadEventFault) -> (Int, Int) {
    switch fault.position {
    case nil: (0, 0)
    case .loadEvent(let index): (1, index)
    case .vehicleStatusEvent(let index): (2, index)
    }
  }
}

/// What the clock and the key say of an event.
private struct TimeAndTokenJudge {
  let pass: VenuePass
  let tokens: GuidanceTokenCodec
  let now: Timestamp
  private let times: ClosedRange<Timestamp>
  /// The token that was judged last: most events of a batch repeat it.
  private var token: UUID?
  private var isTokenValid = false

  init(pass: VenuePass, tokens: GuidanceTokenCodec, now: Timestamp) {
    self.pass = pass
    self.tokens = tokens
    self.now = now
    let earliest = now.advanced(byMilliseconds: -LoadEventService.maximumAgeMilliseconds)
    times = earliest...now.advanced(byMilliseconds: LoadEventService.maximumLeadMilliseconds)
  }

  mutating func judge(
    _ position: EventPosition, _ timestamp: Timestamp?, _ token: UUID?, _ faults: inout [LoadEventFault]
  ) {
    if let timestamp, !times.contains(timestamp) {
      faults.append(Self.outOfRange(position, isEarly: timestamp < times.lowerBound))
    }
    if let token, !isValid(token) { faults.append(Self.unknownToken(position)) }
  }

  private mutating func isValid(_ token: UUID) -> Bool {
    if token != self.token {
      self.token = token
      isTokenValid = tokens.verify(token, for: pass, now: now) != nil
    }
    return isTokenValid
  }

  private static func outOfRange(_ position: EventPosition, isEarly: Bool) -> LoadEventFault {
    LoadEventFault(
      position: position, field: "timestamp", reason: .timestampOutOfRange,
      description: isEarly
        ? "lies more than 30 days before the server's clock"
        : "lies more than 5 minutes ahead of the server's clock")
  }

  private static func unknownToken(_ position: EventPosition) -> LoadEventFault {
    LoadEventFault(
      position: position, field: "guidance_token", reason: .unknownGuidanceToken,
      description: "is not a token that was issued to this client for this venue in the last 35 days")
  }
}
