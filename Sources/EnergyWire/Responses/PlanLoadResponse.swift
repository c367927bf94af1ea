package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

package struct PlanLoadResponse: ResponseMessage, WireMessage {
  /// Of the guidance that the plan was made from.
  package let token: UUID
  package let plan: LoadPlan

  package init(token: UUID, plan: LoadPlan) {
    self.token = token
    self.plan = plan
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) {
    sink.uuid(token, 1)
    for interval in plan.intervals { sink.message(TimeIntervalMessage(interval), 2) }
    sink.double(plan.meanRating.value, 3)
    sink.message(plan.immediateMeanRating.map { DoubleValueMessage($0.value) }, 4)
    sink.bool(plan.coversWindow, 5)
  }
}
