package import EnergyModel
package import FoundationEssentials

/// A batch on its way to the writer: what was well formed, and the faults found so far.
///
/// The writer decides, in commit order, what is a duplicate, what reuses an identity and what is new; it forgives
/// `LoadEventFault.Reason.isForgivenToDuplicates` faults to duplicates; then it stores all new events or none
/// (or the good ones, where `allowsPartialSuccess`).
package final class EventSubmission: Sendable {
  package let clientID: UUID
  package let venueID: UUID
  /// The well-formed load events, ascending by `index`.
  package let loadEvents: [Indexed<LoadEvent>]
  /// The well-formed status events, ascending by `index`.
  package let statusEvents: [Indexed<ElectricVehicleStatusEvent>]
  /// Faults found before the writer, in the order of the request. An event may have several. Every event at fault has
  /// at least one here, since an event without any is stored; those without a place in the lists above are malformed.
  package let faults: [LoadEventFault]
  /// Faults there are in all, at least `faults.count`.
  package let faultCount: Int
  /// Sessions with a begin that has a fault and no place in the lists.
  package let refusedSessionIDs: Set<UUID>
  package let allowsPartialSuccess: Bool
  /// The server's clock when the batch arrived; stored with the events.
  package let receivedAt: Timestamp
  /// `nil` where it builds on no other that is still under way.
  package let order: SubmissionOrder?
  /// Where the outcome goes.
  package let mailbox: any SubmissionMailbox
  /// The mailbox's own: whom the outcome is for.
  package let ticket: any AnyObject & Sendable

  package init(
    clientID: UUID, venueID: UUID, loadEvents: [Indexed<LoadEvent>],
    statusEvents: [Indexed<ElectricVehicleStatusEvent>], faults: [LoadEventFault], faultCount: Int,
    refusedSessionIDs: Set<UUID> = [], allowsPartialSuccess: Bool, receivedAt: Timestamp, order: SubmissionOrder? = nil,
    mailbox: any SubmissionMailbox, ticket: any AnyObject & Sendable
  ) {
    self.clientID = clientID
    self.venueID = venueID
    self.loadEvents = loadEvents
    self.statusEvents = statusEvents
    self.faults = faults
    self.faultCount = faultCount
    self.refusedSessionIDs = refusedSessionIDs
    self.allowsPartialSuccess = allowsPartialSuccess
    self.receivedAt = receivedAt
    self.order = order
    self.mailbox = mailbox
    self.ticket = ticket
  }

  /// Well-formed events of both kinds.
  package var eventCount: Int { loadEvents.count + statusEvents.count }

  package typealias Indexed<Event: Hashable & Sendable> = EnergyModel.Indexed<Event>
}

/// What became of a batch. The counts are of events, but `faultCount` is of faults. Faults stand in the order of the
/// request; `rejectedCount` counts the events that have one.
package enum SubmissionOutcome: Hashable, Sendable {
  /// Everything new in it is durable.
  case accepted(storedCount: Int, duplicateCount: Int)
  /// Some are durable, perhaps none, the others are at fault (only where partial success was allowed).
  case partlyAccepted(
    storedCount: Int, duplicateCount: Int, rejectedCount: Int, faults: [LoadEventFault], faultCount: Int)
  /// Nothing was stored.
  case refused(rejectedCount: Int, faults: [LoadEventFault], faultCount: Int)
  /// Nothing was stored and nothing can be said of the events.
  case failed(StoreError)
}

/// Takes outcomes back to where they are awaited: one per event loop, so that a commit wakes each loop once.
package protocol SubmissionMailbox: AnyObject, Sendable {
  /// Called on a storage thread, after the commit, once per commit with everything that is for this mailbox.
  func deliver(_ results: [SubmissionResult])
}

package struct SubmissionResult: Sendable {
  package let submission: EventSubmission
  package let outcome: SubmissionOutcome

  package init(submission: EventSubmission, outcome: SubmissionOutcome) {
    self.submission = submission
    self.outcome = outcome
  }
}
