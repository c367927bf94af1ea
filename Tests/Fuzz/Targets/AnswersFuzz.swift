import EnergyWire
import FoundationEssentials
import GRPC
import ProtobufWire

/// What a server may answer, read as values and written as JSON. The first byte says which call it answers; one says that
/// the rest are the details of a status.
@c(fuzz_answers) public func fuzzAnswers(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(data, count)
  let kind = Int(input.byte())
  let bytes = Array(input.rest)
  guard kind < 255 else {
    let failure = CallFailure(Status(.invalidArgument, "", details: bytes))
    _ = failure.energyKitError
    return 0
  }
  readers[kind % readers.count](bytes)
  return 0
}

private let readers: [@Sendable ([UInt8]) -> Void] = [
  { read(Contract.ListVenues.self, $0) }, { read(Contract.GetVenue.self, $0) }, { read(Contract.GetGuidance.self, $0) },
  { read(Contract.StreamGuidance.self, $0) }, { read(Contract.PlanLoad.self, $0) },
  { read(Contract.SubmitLoadEvents.self, $0) }, { read(Contract.CreateClient.self, $0) },
  { read(Contract.ListClients.self, $0) }, { read(Contract.RotateClientKey.self, $0) },
  { read(Contract.GetVenueSettings.self, $0) }, { read(Contract.ListVenueSettings.self, $0) },
  { read(Contract.ListVenueAccess.self, $0) }, { read(Contract.PublishGridSignal.self, $0) },
  { read(Contract.ListGridRegions.self, $0) }, { read(Contract.ResolveGridRegion.self, $0) },
]

private func read<Call: ContractCall>(_: Call.Type, _ bytes: [UInt8]) {
  _ = try? Call.answer(decoding: bytes)
  guard let text = try? Call.withDecoded(bytes, { message throws(WireError) in try message.json() }) else { return }
  if !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { violated("JSON is one line of ASCII") }
  var reader = JSONReader(Array(text.utf8))
  do throws(JSONText.Fault) {
    guard try reader.next() != nil, try reader.next() == nil else { violated("JSON is one document") }
  } catch {
    violated("what is written as JSON can be read: \(error.message)")
  }
}

/// JSON that a person may write, as load events.
@c(fuzz_json) public func fuzzJSON(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(data, count)
  let kind: Contract.EncodedEvent.Kind = input.byte() % 2 == 0 ? .load : .vehicleStatus
  var reader = JSONReader(Array(input.rest))
  while let value = try? reader.next() {
    guard let event = try? Contract.EncodedEvent(kind, json: value) else { continue }
    let call = Contract.SubmitLoadEvents(venueID: UUID(), events: [event])
    call.requestBytes.withUnsafeBytes { message in
      do throws(WireError) {
        var decoder = try LoadEventBatchDecoder(message, sessionRules: .strict)
        let arena = DecodeArena()
        while try !decoder.decodeSlice(of: message, arena: arena) {}
      } catch {
        violated("an event that was read from JSON is a message: \(error)")
      }
    }
  }
  return 0
}
