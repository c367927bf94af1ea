import EnergyModel
import Glibc
import Storage
import StorageTestSupport

extension SubmissionOutcome {
  static func stored(_ count: Int, duplicates: Int = 0) -> SubmissionOutcome {
    .accepted(storedCount: count, duplicateCount: duplicates)
  }

  var storedCount: Int {
    switch self {
    case .accepted(let stored, _), .partlyAccepted(let stored, _, _, _, _): stored
    case .refused, .failed: 0
    }
  }

  /// The same without the sentences for people, which no test is about.
  var withoutWords: SubmissionOutcome {
    switch self {
    case .accepted, .failed: self
    case .partlyAccepted(let stored, let duplicates, let rejected, let faults, let count):
      .partlyAccepted(
        storedCount: stored, duplicateCount: duplicates, rejectedCount: rejected, faults: faults.map(\.withoutWords),
        faultCount: count)
    case .refused(let rejected, let faults, let count):
      .refused(rejectedCount: rejected, faults: faults.map(\.withoutWords), faultCount: count)
    }
  }
}

extension LoadEventFault {
  var withoutWords: LoadEventFault {
    LoadEventFault(position: position, field: field, reason: reason, description: "")
  }

  static func reused(_ position: EventPosition) -> LoadEventFault {
    LoadEventFault(position: position, field: "id", reason: .idReused, description: "")
  }

  static let ofBatch = LoadEventFault(position: nil, field: "venue_id", reason: .restricted, description: "")
}

extension SubmittedEvent {
  /// Where it stands in a batch of its own.
  var firstPosition: EventPosition {
    switch self {
    case .load: .loadEvent(0)
    case .vehicleStatus: .vehicleStatusEvent(0)
    }
  }
}

extension Batch {
  init(_ event: SubmittedEvent) {
    self.init([event])
  }

  init(_ events: [SubmittedEvent], partial: Bool = false) {
    var load: [LoadEvent] = []
    var status: [ElectricVehicleStatusEvent] = []
    for event in events {
      switch event {
      case .load(let event): load.append(event)
      case .vehicleStatus(let event): status.append(event)
      }
    }
    self.init(load, status: status, partial: partial)
  }

  var eventCount: Int { loadEvents.count + statusEvents.count }
}

extension EnergyStore {
  /// Submits all at once; the outcomes in the order of the batches.
  func outcomes(of batches: [Batch]) async -> [SubmissionOutcome] {
    let mailbox = TestMailbox()
    return await withTaskGroup(of: (Int, SubmissionOutcome).self) { group in
      for (place, batch) in batches.enumerated() {
        group.addTask { (place, await mailbox.outcome(of: batch, in: self)) }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// Submits all at once and counts; `others` are batches that were not accepted.
  func totals(of batches: [Batch]) async -> (stored: Int, duplicates: Int, others: Int) {
    await outcomes(of: batches).reduce(into: (0, 0, 0)) { totals, outcome in
      if case .accepted(let stored, let duplicates) = outcome {
        totals.0 += stored
        totals.1 += duplicates
      } else {
        totals.2 += 1
      }
    }
  }
}

/// Remembers the thread that made it.
struct ThreadMark: Sendable {
  private let thread = pthread_self()
  var isCurrent: Bool { pthread_self() == thread }
}
