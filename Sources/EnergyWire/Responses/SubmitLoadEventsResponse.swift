package import EnergyModel
package import ProtobufWire

package struct SubmitLoadEventsResponse: ResponseMessage, WireMessage {
  /// Counts of events.
  package let storedCount: Int
  package let duplicateCount: Int
  package let rejectedCount: Int
  /// One per fault, of which the first 1,000 are sent.
  package let faults: [LoadEventFault]

  package static let maximumFaultCount = 1000

  package init(storedCount: Int, duplicateCount: Int, rejectedCount: Int = 0, faults: [LoadEventFault] = []) {
    self.storedCount = storedCount
    self.duplicateCount = duplicateCount
    self.rejectedCount = rejectedCount
    self.faults = faults
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) {
    sink.integer(storedCount, 1)
    sink.integer(duplicateCount, 2)
    sink.integer(rejectedCount, 3)
    for fault in faults.prefix(Self.maximumFaultCount) { sink.message(RejectedEventMessage(fault), 4) }
  }
}

/// energykit.v1.RejectedEvent.
struct RejectedEventMessage: WireMessage {
  let fault: LoadEventFault

  init(_ fault: LoadEventFault) { self.fault = fault }

  package func encode(to sink: inout some WireSink) {
    sink.string(fault.path, 1)
    sink.string(fault.reason.rawValue, 2)
    sink.string(fault.description, 3)
  }
}
