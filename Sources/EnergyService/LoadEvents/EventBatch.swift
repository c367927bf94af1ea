package import EnergyModel
package import FoundationEssentials

/// A decoded batch: the events that are well formed, and what was wrong with the others.
package struct EventBatch: Sendable {
  /// Ascending by `index`.
  package var loadEvents: [Indexed<LoadEvent>]
  /// Ascending by `index`.
  package var statusEvents: [Indexed<ElectricVehicleStatusEvent>]
  /// Faults of shape, device and range, in the order of the request. An event whose faults were left out, since there
  /// were too many, stands in neither list.
  package var faults: [LoadEventFault]
  /// Faults there are in all, at least `faults.count`.
  package var faultCount: Int
  /// Events in neither list, as far as their time and token can be judged.
  package var malformedEvents: [MalformedEvent]
  /// Events in the request, well formed or not: what the client's budget pays for.
  package var eventCount: Int
  /// Sessions with a begin that stands in neither list.
  package var refusedSessionIDs: Set<UUID>
  package var allowsPartialSuccess: Bool

  package init(
    loadEvents: [Indexed<LoadEvent>] = [],
    statusEvents: [Indexed<ElectricVehicleStatusEvent>] = [], faults: [LoadEventFault] = [],
    faultCount: Int? = nil, malformedEvents: [MalformedEvent] = [], eventCount: Int? = nil,
    refusedSessionIDs: Set<UUID> = [],
    allowsPartialSuccess: Bool = false
  ) {
    self.loadEvents = loadEvents
    self.statusEvents = statusEvents
    self.faults = faults
    self.faultCount = faultCount ?? faults.count
    self.malformedEvents = malformedEvents
    self.eventCount = eventCount ?? loadEvents.count + statusEvents.count
    self.refusedSessionIDs = refusedSessionIDs
    self.allowsPartialSuccess = allowsPartialSuccess
  }
}

/// What a caller hears of a batch, in part or whole, that was taken.
package struct SubmissionReceipt: Hashable, Sendable {
  /// Events made durable by this call.
  package let storedCount: Int
  /// Events that were stored before.
  package let duplicateCount: Int
  /// Events refused (only where partial success was allowed).
  package let rejectedCount: Int
  /// In the order of the request, at most `LoadEventService.maximumFaultCount`.
  package let faults: [LoadEventFault]
  package let faultCount: Int
}
