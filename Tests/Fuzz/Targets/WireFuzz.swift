import EnergyModel
import EnergyWire
import GRPC
import ProtobufWire

/// Every request message of the contract that is served. The first byte says which.
@c(fuzz_wire) public func fuzzWire(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(data, count)
  let arena = DecodeArena()
  let kind = input.byte()
  do throws(WireError) {
    switch kind % 6 {
    case 0: _ = try GetGuidanceRequest(decoding: input.rest, arena: arena)
    case 1: _ = try GetVenueRequest(decoding: input.rest, arena: arena)
    case 2: _ = try ListVenuesRequest(decoding: input.rest, arena: arena)
    case 3: _ = try StreamGuidanceRequest(decoding: input.rest, arena: arena)
    case 4: _ = try PublishGridSignalRequest(decoding: input.rest, arena: arena)
    default: try decodeBatch(input.rest, arena, kind >= 128 ? .lenient : .strict)
    }
  } catch {
    if case .invalid(let request) = error, request.field.isEmpty || request.description.isEmpty {
      violated("an invalid request says which field and why")
    }
  }
  if arena.usedByteCount > max(64 << 10, 8 * count) { violated("the arena is bounded by the message") }
  return 0
}

private func decodeBatch(
  _ message: UnsafeRawBufferPointer, _ arena: DecodeArena, _ rules: SessionRules
) throws(WireError) {
  var decoder = try LoadEventBatchDecoder(message, sessionRules: rules)
  var sliceCount = 0
  while try !decoder.decodeSlice(of: message, arena: arena) {
    sliceCount += 1
    if sliceCount > message.count { violated("each slice gets on") }
  }
  let request = decoder.request
  let goodCount = request.loadEvents.count + request.statusEvents.count
  if goodCount > request.eventCount { violated("no event is made up") }
  let faulty = Set(request.faults.compactMap(\.position))
  if request.faults.isEmpty && goodCount != request.eventCount { violated("no event is lost without a fault") }
  let good = Set(
    request.loadEvents.map { EventPosition.loadEvent($0.index) }
      + request.statusEvents.map { EventPosition.vehicleStatusEvent($0.index) })
  if request.faultCount == request.faults.count && good.union(faulty).count < request.eventCount {
    violated("each event is good or at fault")
  }
  if Set(good).count != goodCount { violated("each event has its own place") }
}
