import EnergyModel

/// Decides what becomes of a batch: which events are new, duplicates or at fault, and whether the batch is stored
/// (docs/architecture.md, Load events). One judgement serves every store.
///
/// Each event is judged against what was accepted before it, in this batch and all earlier ones: load events in the
/// order of the request, then status events.
package struct SubmissionJudge {
  private let submission: EventSubmission
  private let faults: FaultsByEvent
  private var storedCount = 0
  private var duplicateCount = 0
  private var rejectedCount = 0
  private var reusedIDs: [LoadEventFault] = []
  private var forgiven: Set<EventPosition> = []

  /// Stores in `ledger` what is to be stored. A refused batch leaves it as it was.
  ///
  /// - Throws: What the ledger throws; how much of the batch it holds is then unknown.
  package static func judge(
    _ submission: EventSubmission, in ledger: inout some EventLedger
  ) throws(StoreError) -> SubmissionOutcome {
    var judge = SubmissionJudge(submission)
    guard !judge.faults.concernBatch else { return judge.refuseUnread() }
    for index in submission.loadEvents.indices { try judge.consider(.load(index), in: &ledger) }
    for index in submission.statusEvents.indices { try judge.consider(.vehicleStatus(index), in: &ledger) }
    return try judge.conclude(in: &ledger)
  }

  private init(_ submission: EventSubmission) {
    self.submission = submission
    self.faults = FaultsByEvent(of: submission)
  }

  private mutating func consider(
    _ offset: EventOffset, in ledger: inout some EventLedger
  ) throws(StoreError) {
    let standing = faults.isEmpty ? .faultless : faults.standing(at: submission.position(at: offset))
    let verdict =
      switch standing {
      case .faultless: try ledger.insert(offset, of: submission)
      case .forgivable, .lasting: try ledger.verdict(on: offset, of: submission)
      }
    // The rules of sessions belong here, for what is new: on the writer, in commit order.
    switch (standing, verdict) {
    case (.faultless, .new):
      storedCount += 1
    case (.faultless, .sameContent):
      duplicateCount += 1
    case (.forgivable, .sameContent):
      duplicateCount += 1
      forgiven.insert(submission.position(at: offset))
    case (.faultless, .otherContent), (.forgivable, .otherContent), (.lasting, .otherContent):
      rejectedCount += 1
      reusedIDs.append(.idReused(at: submission.position(at: offset)))
    case (.forgivable, .new), (.lasting, .new), (.lasting, .sameContent):
      rejectedCount += 1
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
    guard !forgiven.isEmpty || !reusedIDs.isEmpty else { return submission.faults }
    var merged: [LoadEventFault] = []
    var found = reusedIDs[...]
    for fault in submission.faults where !fault.position.isContained(in: forgiven) {
      while let next = found.first, next.position.precedes(fault.position) {
        merged.append(next)
        found.removeFirst()
      }
      merged.append(fault)
    }
    return merged + found
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
