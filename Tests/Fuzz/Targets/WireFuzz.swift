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
    if (64..<128).contains(kind) {
      try decodeAdmin(input.rest, arena, kind)
    } else {
      try decode(input.rest, arena, kind)
    }
  } catch {
    if case .invalid(let request) = error, request.field.isEmpty || request.description.isEmpty {
      violated("an invalid request says which field and why")
    }
  }
  if arena.usedByteCount > max(64 << 10, 8 * count) { violated("the arena is bounded by the message") }
  return 0
}

private func decode(_ message: UnsafeRawBufferPointer, _ arena: DecodeArena, _ kind: UInt8) throws(WireError) {
  switch kind % 6 {
  case 0: _ = try GetGuidanceRequest(decoding: message, arena: arena)
  case 1: _ = try GetVenueRequest(decoding: message, arena: arena)
  case 2: _ = try ListVenuesRequest(decoding: message, arena: arena)
  case 3: _ = try StreamGuidanceRequest(decoding: message, arena: arena)
  case 4: _ = try PublishGridSignalRequest(decoding: message, arena: arena)
  default: try decodeBatch(message, arena, kind >= 128 ? .lenient : .strict)
  }
}

private func decodeAdmin(_ message: UnsafeRawBufferPointer, _ arena: DecodeArena, _ kind: UInt8) throws(WireError) {
  switch kind % 16 {
  case 0: _ = try CreateClientRequest(decoding: message, arena: arena)
  case 1: _ = try GetClientRequest(decoding: message, arena: arena)
  case 2: _ = try ListClientsRequest(decoding: message, arena: arena)
  case 3: _ = try UpdateClientRequest(decoding: message, arena: arena)
  case 4: _ = try DeleteClientRequest(decoding: message, arena: arena)
  case 5: _ = try RotateClientKeyRequest(decoding: message, arena: arena)
  case 6: _ = try CreateVenueRequest(decoding: message, arena: arena)
  case 7: _ = try GetVenueSettingsRequest(decoding: message, arena: arena)
  case 8: _ = try ListVenueSettingsRequest(decoding: message, arena: arena)
  case 9: _ = try UpdateVenueRequest(decoding: message, arena: arena)
  case 10: _ = try DeleteVenueRequest(decoding: message, arena: arena)
  case 11: _ = try DeleteDeviceRequest(decoding: message, arena: arena)
  case 12: _ = try SetVenueAccessRequest(decoding: message, arena: arena)
  case 13: _ = try ListVenueAccessRequest(decoding: message, arena: arena)
  case 14: _ = try ListGridRegionsRequest(decoding: message, arena: arena)
  default: _ = try ResolveGridRegionRequest(decoding: message, arena: arena)
  }
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
