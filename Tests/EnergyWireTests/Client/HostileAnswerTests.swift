import EnergyModel
import EnergyWire
import ProtobufWire
import TestSupport
import Testing

/// Nothing that a server can send brings its client down.
@Suite struct `A hostile answer` {
  private static func read<Call: ContractCall>(_: Call.Type, _ bytes: [UInt8]) -> Bool {
    (try? Call.answer(decoding: bytes)) != nil
      && (try? Call.withDecoded(bytes) { message throws(WireError) in try message.json() }) != nil
  }

  private static let readers: [@Sendable ([UInt8]) -> Bool] = [
    { read(Contract.ListVenues.self, $0) }, { read(Contract.GetVenue.self, $0) },
    { read(Contract.GetGuidance.self, $0) }, { read(Contract.StreamGuidance.self, $0) },
    { read(Contract.PlanLoad.self, $0) }, { read(Contract.SubmitLoadEvents.self, $0) },
    { read(Contract.CreateClient.self, $0) }, { read(Contract.ListClients.self, $0) },
    { read(Contract.RotateClientKey.self, $0) }, { read(Contract.CreateVenue.self, $0) },
    { read(Contract.ListVenueSettings.self, $0) }, { read(Contract.ListVenueAccess.self, $0) },
    { read(Contract.PublishGridSignal.self, $0) }, { read(Contract.ListGridRegions.self, $0) },
    { read(Contract.ResolveGridRegion.self, $0) }, { read(Contract.DeleteVenue.self, $0) },
  ]

  private static let id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

  /// Fields of all kinds, at the numbers that answers have them.
  private static let seeds: [[UInt8]] = [
    WireBuilder {
      $0.message(1) {
        $0.text(1, id)
        $0.text(2, id)
        $0.message(4) { $0.message(1) { $0.number(1, 5) } }
        $0.message(6) {
          $0.message(1) {
            $0.message(1) { $0.number(1, 5) }
            $0.message(2) { $0.number(1, 50) }
          }
          $0.double(2, 0.5)
        }
      }
      $0.message(2) { $0.message(1) { $0.message(1) { $0.number(1, 5) } } }
    }.bytes,
    WireBuilder {
      $0.message(1) {
        $0.message(1) { $0.text(1, id) }
        $0.message(2) { $0.double(1, .nan) }
        $0.message(7) { $0.number(1, -1) }
      }
      $0.text(2, "next")
    }.bytes,
    WireBuilder {
      $0.number(1, -1)
      $0.number(2, 1 << 40)
      $0.number(3, 3)
      $0.message(4) { $0.text(1, "load_events[3].id") }
    }.bytes,
  ]

  @Test func `is read or refused, wherever it is cut or changed`() {
    var generator = SeededGenerator(state: 20)
    for seed in Self.seeds {
      for end in 0...seed.count { for reader in Self.readers { _ = reader(Array(seed[..<end])) } }
      for _ in 0..<300 {
        var bytes = seed
        for _ in 0...Int.random(in: 0..<3, using: &generator) {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        for reader in Self.readers { _ = reader(bytes) }
      }
    }
  }

  @Test func `that repeats a message which comes once is refused`() {
    let once = WireBuilder {
      $0.message(1) {
        $0.text(1, Self.id)
        $0.text(2, Self.id)
      }
    }.bytes
    #expect((try? Contract.GetGuidance.answer(decoding: once)) != nil)
    #expect(throws: WireError.tooComplex) { try Contract.GetGuidance.answer(decoding: once + once) }
  }

  @Test func `without what the contract promises says what is missing`() {
    #expect(throws: WireError.invalid(InvalidRequest(field: "venue", description: "is missing"))) {
      try Contract.GetVenue.answer(decoding: [])
    }
    let rated = WireBuilder {
      $0.text(1, Self.id)
      $0.double(3, 1.5)
    }
    #expect(throws: WireError.invalid(InvalidRequest(field: "mean_rating", description: "must be 0 to 1"))) {
      try Contract.PlanLoad.answer(decoding: rated.bytes)
    }
    let notUTF8 = WireBuilder { $0.data(1, [0xC3, 0x28]) }
    #expect(throws: WireError.unparsable) { try Contract.RotateClientKey.answer(decoding: notUTF8.bytes) }
  }

  @Test func `of many small fields costs little memory`() {
    let fields = WireBuilder { for _ in 0..<300_000 { $0.number(99, 1) } }
    #expect(throws: WireError.tooComplex) { try Contract.ListVenues.answer(decoding: fields.bytes) }
  }
}

/// Numbers that are the same in every run (splitmix64).
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
