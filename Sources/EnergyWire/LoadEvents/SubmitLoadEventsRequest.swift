package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

/// A batch as far as its shape decides: the events that are well formed, and what is wrong with the others. Token and
/// time are not judged here.
package struct SubmitLoadEventsRequest: Sendable {
  package let venueID: UUID
  package let allowsPartialSuccess: Bool
  /// Those without any fault so far, ascending by index.
  package let loadEvents: [Indexed<LoadEvent>]
  package let statusEvents: [Indexed<ElectricVehicleStatusEvent>]
  /// At most `LoadEventBatchDecoder.maximumFaultCount`, in the order of the request. The events they name are in
  /// neither list.
  package let faults: [LoadEventFault]
  /// All there are, at least `faults.count`.
  package let faultCount: Int
  /// Those that `faults` name, and those whose faults were only counted; not those that were too large to be read.
  package let malformedEvents: [MalformedEvent]
  /// Sessions with a begin that is in neither list.
  package let refusedSessionIDs: Set<UUID>
  /// Events in the request, faulty or not; 0 where the batch is refused for their number.
  package let eventCount: Int
  /// Events in which `SessionRules.lenient` has put a zero in the place of something else.
  package let zeroedEventCount: Int

  /// Decodes the whole batch in one go; `LoadEventBatchDecoder` does the same in slices.
  package init(
    decoding message: UnsafeRawBufferPointer, arena: DecodeArena, sessionRules: SessionRules = .strict
  ) throws(WireError) {
    var decoder = try LoadEventBatchDecoder(message, sessionRules: sessionRules)
    while try !decoder.decodeSlice(of: message, arena: arena) {}
    self = decoder.request
  }

  init(
    venueID: UUID, allowsPartialSuccess: Bool, loadEvents: [Indexed<LoadEvent>],
    statusEvents: [Indexed<ElectricVehicleStatusEvent>], faults: [LoadEventFault], faultCount: Int,
    malformedEvents: [MalformedEvent], refusedSessionIDs: Set<UUID>, eventCount: Int, zeroedEventCount: Int
  ) {
    self.venueID = venueID
    self.allowsPartialSuccess = allowsPartialSuccess
    self.loadEvents = loadEvents
    self.statusEvents = statusEvents
    self.faults = faults
    self.faultCount = faultCount
    self.malformedEvents = malformedEvents
    self.refusedSessionIDs = refusedSessionIDs
    self.eventCount = eventCount
    self.zeroedEventCount = zeroedEventCount
  }
}
