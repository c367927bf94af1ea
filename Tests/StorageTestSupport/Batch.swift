package import EnergyModel
package import FoundationEssentials
import Locking
package import Storage

/// A batch before it is addressed to a mailbox.
package struct Batch: Sendable {
  package var clientID = Sample.uuid(1)
  package var venueID = Sample.uuid(2)
  package var loadEvents: [Indexed<LoadEvent>]
  package var statusEvents: [Indexed<ElectricVehicleStatusEvent>]
  package var faults: [LoadEventFault]
  /// Further faults that are not listed.
  package var cutFaultCount = 0
  package var refusedSessionIDs: Set<UUID> = []
  package var allowsPartialSuccess: Bool

  package init(
    _ loadEvents: [LoadEvent] = [], status: [ElectricVehicleStatusEvent] = [], faults: [LoadEventFault] = [],
    partial: Bool = false
  ) {
    self.loadEvents = loadEvents.enumerated().map { Indexed(index: $0.offset, event: $0.element) }
    self.statusEvents = status.enumerated().map { Indexed(index: $0.offset, event: $0.element) }
    self.faults = faults
    self.allowsPartialSuccess = partial
  }

  package func submission(
    to mailbox: any SubmissionMailbox, ticket: any AnyObject & Sendable, order: SubmissionOrder? = nil
  ) -> EventSubmission {
    EventSubmission(
      clientID: clientID, venueID: venueID, loadEvents: loadEvents, statusEvents: statusEvents, faults: faults,
      faultCount: faults.count + cutFaultCount, refusedSessionIDs: refusedSessionIDs,
      allowsPartialSuccess: allowsPartialSuccess, receivedAt: Sample.noon,
      order: order, mailbox: mailbox, ticket: ticket)
  }
}

extension LoadEventFault {
  package static func sample(
    _ reason: Reason, load index: Int, field: String = "guidance_token"
  ) -> LoadEventFault {
    LoadEventFault(position: .loadEvent(index), field: field, reason: reason, description: "a test's")
  }

  package static func sample(_ reason: Reason, status index: Int, field: String = "timestamp") -> LoadEventFault {
    LoadEventFault(position: .vehicleStatusEvent(index), field: field, reason: reason, description: "a test's")
  }
}

/// Wakes whoever awaits an outcome, and counts how often it was called.
package final class TestMailbox: SubmissionMailbox {
  private final class Reply: Sendable {
    let resume: @Sendable (SubmissionOutcome) -> Void
    init(_ resume: @escaping @Sendable (SubmissionOutcome) -> Void) { self.resume = resume }
  }

  private let calls = Lock<[Int]>([])

  package init() {}

  /// How many results each call of `deliver` brought.
  package var deliveries: [Int] { calls.withLock { $0 } }

  package func deliver(_ results: [SubmissionResult]) {
    calls.withLock { $0.append(results.count) }
    for result in results { (result.submission.ticket as? Reply)?.resume(result.outcome) }
  }

  /// Returns at once; `then` runs with the outcome, on a storage thread.
  package func submit(
    _ batch: Batch, to store: any EnergyStore, then: @escaping @Sendable (SubmissionOutcome) -> Void
  ) {
    store.submit([batch.submission(to: self, ticket: Reply(then))])
  }

  package func outcome(of batch: Batch, in store: any EnergyStore) async -> SubmissionOutcome {
    await withCheckedContinuation { continuation in
      submit(batch, to: store) { continuation.resume(returning: $0) }
    }
  }
}

extension EnergyStore {
  /// What becomes of the batch.
  package func outcome(of batch: Batch) async -> SubmissionOutcome {
    await TestMailbox().outcome(of: batch, in: self)
  }
}
