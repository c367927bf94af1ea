import EnergyModel
import FoundationEssentials

/// Decides what becomes of a batch: which events are new, duplicates or at fault, and whether the batch is stored
/// (docs/architecture.md, Sessions). One judgement serves every store.
///
/// Each event is judged against what was accepted before it, in this batch and all earlier ones: load events in the
/// order of their times, those of one time in the order of the request, then status events.
package struct SubmissionJudge {
  private let submission: EventSubmission
  private let faults: FaultsByEvent
  private var storedCount = 0
  private var duplicateCount = 0
  private var rejectedCount = 0
  /// Faults found here.
  private var found: [LoadEventFault] = []
  private var forgiven: Set<EventPosition> = []
  /// Sessions with a begin in this batch that is at fault.
  private var refusedSessionIDs: Set<UUID>

  /// Stores in `ledger` what is to be stored. A refused batch leaves it as it was.
  ///
  /// - Throws: What the ledger throws; how much of the batch it holds is then unknown.
  package static func judge(
    _ submission: EventSubmission, in ledger: inout some EventLedger
  ) throws(StoreError) -> SubmissionOutcome {
    if let order = submission.order, order.isBroken { return .failed(.busy) }
    var judge = SubmissionJudge(submission)
    guard !judge.faults.concernBatch else { return judge.refuseUnread() }
    let owner = EventOwner(clientID: submission.clientID, venueID: submission.venueID)
    var sessions = try SessionJudge(of: owner, in: &ledger)
    if let order = submission.loadEvents.orderOfTime {
      for index in order { try judge.considerLoad(index, &sessions, in: &ledger) }
    } else {
      for index in submission.loadEvents.indices { try judge.considerLoad(index, &sessions, in: &ledger) }
    }
    for index in submission.statusEvents.indices { try judge.considerStatus(index, &sessions, in: &ledger) }
    let outcome = try judge.conclude(in: &ledger)
    if case .refused = outcome { sessions.takeBack() } else { sessions.settle() }
    return outcome
  }

  private init(_ submission: EventSubmission) {
    self.submission = submission
    self.faults = FaultsByEvent(of: submission)
    refusedSessionIDs = submission.refusedSessionIDs
  }

  private mutating func considerLoad(
    _ index: Int, _ sessions: inout SessionJudge, in ledger: inout some EventLedger
  ) throws(StoreError) {
    let found = try sessions.faults(of: submission.loadEvents[index].event, in: &ledger)
    switch try consider(.load(index), found, in: &ledger) {
    case .stored: sessions.accept(submission.loadEvents[index].event)
    case .refused:
      noteRefusal(ofBegin: submission.loadEvents[index].event)
      // A batch that is refused whole is judged as if this were accepted, so that what follows it hears of its own
      // faults only; all is taken back.
      if !submission.allowsPartialSuccess, found.isEmpty { sessions.accept(submission.loadEvents[index].event) }
    case .known: break
    }
  }

  private mutating func considerStatus(
    _ index: Int, _ sessions: inout SessionJudge, in ledger: inout some EventLedger
  ) throws(StoreError) {
    let found = try sessions.faults(of: submission.statusEvents[index].event, in: &ledger)
    if case .stored = try consider(.vehicleStatus(index), found, in: &ledger) {
      sessions.accept(submission.statusEvents[index].event)
    }
  }

  private enum Finding {
    case stored
    /// New, and at fault.
    case refused
    /// Its identity is.
    case known
  }

  /// - Parameter sessionFaults: Those that the event has if it is new.
  private mutating func consider(
    _ offset: EventOffset, _ sessionFaults: SessionFaults, in ledger: inout some EventLedger
  ) throws(StoreError) -> Finding {
    let standing = faults.isEmpty ? .faultless : faults.standing(at: submission.position(at: offset))
    let isSound = standing == .faultless && sessionFaults.isEmpty
    let verdict =
      isSound ? try ledger.insert(offset, of: submission) : try ledger.verdict(on: offset, of: submission)
    switch (standing, verdict) {
    case (.faultless, .new) where isSound:
      storedCount += 1
      return .stored
    case (.faultless, .new), (.forgivable, .new), (.lasting, .new):
      refuse(offset, sessionFaults, standing)
      return .refused
    case (.faultless, .sameContent):
      duplicateCount += 1
    case (.forgivable, .sameContent):
      duplicateCount += 1
      forgiven.insert(submission.position(at: offset))
    case (.faultless, .otherContent), (.forgivable, .otherContent), (.lasting, .otherContent):
      rejectedCount += 1
      found.append(.idReused(at: submission.position(at: offset)))
    case (.lasting, .sameContent):
      rejectedCount += 1
    }
    return .known
  }

  private mutating func noteRefusal(ofBegin event: LoadEvent) {
    if case .begin = event.sessionState { refusedSessionIDs.insert(event.sessionID) }
  }

  /// Notes the faults of a new event, but those that follow from another event's. Where a part of the batch may be stored,
  /// an event without its begin has at least that fault.
  private mutating func refuse(
    _ offset: EventOffset, _ sessionFaults: SessionFaults, _ standing: FaultsByEvent.Standing
  ) {
    var faults = sessionFaults
    if isOfRefusedSession(offset), standing != .faultless || !submission.allowsPartialSuccess {
      faults.subtract(.ofUnknownSession)
      guard standing != .faultless || !faults.isEmpty else { return }
    }
    rejectedCount += 1
    guard !faults.isEmpty else { return }
    found += faults.faults(at: submission.position(at: offset), deviceField: submission.deviceField(at: offset))
  }

  private func isOfRefusedSession(_ offset: EventOffset) -> Bool {
    guard !refusedSessionIDs.isEmpty else { return false }
    switch offset {
    case .load(let index): return refusedSessionIDs.contains(submission.loadEvents[index].event.sessionID)
    case .vehicleStatus(let index):
      return submission.statusEvents[index].event.sessionID.map(refusedSessionIDs.contains) ?? false
    }
  }

  private func conclude(in ledger: inout some EventLedger) throws(StoreError) -> SubmissionOutcome {
    let rejectedCount = rejectedCount + faults.unlistedEventCount
    guard rejectedCount > 0 else { return .accepted(storedCount: storedCount, duplicateCount: duplicateCount) }
    let listed = remainingFaults()
    let faultCount = submission.faultCount - submission.faults.count + listed.count
    if submission.allowsPartialSuccess {
      return .partlyAccepted(
        storedCount: storedCount, duplicateCount: duplicateCount, rejectedCount: rejectedCount, faults: listed,
        faultCount: faultCount)
    }
    if storedCount > 0 { try ledger.removeNewest(storedCount) }
    return .refused(rejectedCount: rejectedCount, faults: listed, faultCount: faultCount)
  }

  /// A fault of the batch itself refuses all of it, partial success or not.
  private func refuseUnread() -> SubmissionOutcome {
    .refused(
      rejectedCount: submission.eventCount + faults.unlistedEventCount, faults: submission.faults,
      faultCount: submission.faultCount)
  }

  /// What was found before and not forgiven, and what was found here, in the order of the request.
  private func remainingFaults() -> [LoadEventFault] {
    guard !forgiven.isEmpty || !found.isEmpty else { return submission.faults }
    var merged: [LoadEventFault] = []
    var rest = found.inOrderOfRequest[...]
    for fault in submission.faults where !fault.position.isContained(in: forgiven) {
      while let next = rest.first, next.position.precedes(fault.position) {
        merged.append(next)
        rest.removeFirst()
      }
      merged.append(fault)
    }
    return merged + rest
  }
}

/// How bad what was found before the writer is, for each event.
private struct FaultsByEvent {
  enum Standing {
    case faultless
    /// Only faults that a duplicate is forgiven.
    case forgivable
    /// At least one that stays.
    case lasting
  }

  private(set) var concernBatch = false
  /// Events at fault that have no place in the submission's lists.
  private(set) var unlistedEventCount = 0
  private var standings: [EventPosition: Standing] = [:]

  init(of submission: EventSubmission) {
    guard !submission.faults.isEmpty else { return }
    for fault in submission.faults {
      guard let position = fault.position else {
        concernBatch = true
        continue
      }
      if !fault.reason.isForgivenToDuplicates {
        standings[position] = .lasting
      } else if standings[position] == nil {
        standings[position] = .forgivable
      }
    }
    let listed =
      submission.loadEvents.count(where: { standings[.loadEvent($0.index)] != nil })
      + submission.statusEvents.count(where: { standings[.vehicleStatusEvent($0.index)] != nil })
    unlistedEventCount = standings.count - listed
  }

  func standing(at position: EventPosition) -> Standing {
    standings[position] ?? .faultless
  }

  var isEmpty: Bool { standings.isEmpty }
}

extension LoadEventFault {
  fileprivate static func idReused(at position: EventPosition) -> LoadEventFault {
    LoadEventFault(
      position: position, field: "id", reason: .idReused,
      description: "another event with this id and timestamp, but other content, was accepted before")
  }
}

extension [LoadEventFault] {
  /// Those of one event stay in their order.
  fileprivate var inOrderOfRequest: [LoadEventFault] {
    enumerated().sorted { a, b in
      if a.element.position.precedes(b.element.position) { return true }
      return !b.element.position.precedes(a.element.position) && a.offset < b.offset
    }.map(\.element)
  }
}

extension [EventSubmission.Indexed<LoadEvent>] {
  /// The indices by time; `nil` where they are in that order, as in most batches. Of one time, sessions that begin then
  /// come after the others, since the end of the one before may be of the same moment; else as they are.
  fileprivate var orderOfTime: [Int]? {
    if isOrderedByTime { return nil }
    var begins: [UUID: Timestamp] = [:]
    for indexed in self where indexed.event.sessionState == .begin {
      begins[indexed.event.sessionID] = indexed.event.timestamp
    }
    let keys = map { indexed in
      (indexed.event.timestamp, begins[indexed.event.sessionID] == indexed.event.timestamp ? 1 : 0)
    }
    return indices.sorted { (keys[$0].0, keys[$0].1, $0) < (keys[$1].0, keys[$1].1, $1) }
  }

  private var isOrderedByTime: Bool {
    var last = Timestamp.earliest
    /// A session that has begun at that time.
    var begun: UUID?
    return indices.allSatisfy { index in
      let event = self[index].event
      if event.timestamp > last { begun = nil }
      defer { last = event.timestamp }
      guard last <= event.timestamp, begun == nil || begun == event.sessionID else { return false }
      if case .begin = event.sessionState { begun = event.sessionID }
      return true
    }
  }
}

extension EventSubmission {
  /// The field in which the event names its device.
  fileprivate func deviceField(at offset: EventOffset) -> String {
    switch offset {
    case .load(let index): loadEvents[index].event.device.name == nil ? "device_id" : "device.id"
    case .vehicleStatus: "device.id"
    }
  }
}

extension EventPosition? {
  fileprivate func isContained(in positions: Set<EventPosition>) -> Bool {
    self.map(positions.contains) ?? false
  }

  /// In the order of the request: the batch itself, load events, status events.
  fileprivate func precedes(_ other: EventPosition?) -> Bool {
    switch (self, other) {
    case (_, nil): false
    case (nil, _?): true
    case (.loadEvent(let a)?, .loadEvent(let b)?), (.vehicleStatusEvent(let a)?, .vehicleStatusEvent(let b)?): a < b
    case (.loadEvent?, .vehicleStatusEvent?): true
    case (.vehicleStatusEvent?, .loadEvent?): false
    }
  }
}
