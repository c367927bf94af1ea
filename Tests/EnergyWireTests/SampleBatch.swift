import EnergyModel
import EnergyWire
import FoundationEssentials
import ProtobufWire
import TestSupport

/// One load event, field by field, so that a test can spoil one of them.
struct SampleEvent {
  var id: String? = "e0000000-0000-4000-8000-000000000001"
  var timestamp: (seconds: Int64, nanos: Int64)? = (1_700_000_000, 0)
  var sessionID: String? = "11111111-2222-3333-4444-555555555555"
  var state: Int64 = 2
  var token: String? = "0123abcd-4567-89ef-0123-456789abcdef"
  var deviceID: [UInt8]? = Array("car-1".utf8)
  var device: (id: [UInt8], name: [UInt8], type: Int64)?
  var vehicle: (charge: Int64, direction: Int64, power: Int64, energy: Int64)? = (50, 1, 7_000_000, 1_000_000)
  var range: Double?
  var stage: Int64?
  var extra: [UInt8] = []

  var bytes: [UInt8] {
    WireBuilder { event in
      if let id { event.text(1, id) }
      if let timestamp {
        event.message(2) {
          $0.number(1, timestamp.seconds)
          $0.number(2, timestamp.nanos)
        }
      }
      if let sessionID { event.text(3, sessionID) }
      event.number(4, state)
      if let token { event.text(6, token) }
      if let deviceID { event.data(7, deviceID) }
      if let device {
        event.message(8) {
          $0.data(1, device.id)
          $0.data(2, device.name)
          $0.number(3, device.type)
        }
      }
      if let vehicle { write(vehicle, to: &event) }
      if let stage { event.message(10) { $0.number(1, stage) } }
      event.raw(extra)
    }.bytes
  }

  private func write(
    _ vehicle: (charge: Int64, direction: Int64, power: Int64, energy: Int64), to event: inout WireBuilder
  ) {
    event.message(9) {
      $0.number(1, vehicle.charge)
      $0.number(2, vehicle.direction)
      $0.number(3, vehicle.power)
      $0.number(4, vehicle.energy)
      if let range { $0.message(5) { $0.message(1) { $0.double(1, range) } } }
    }
  }

  func with(_ change: (inout SampleEvent) -> Void) -> SampleEvent {
    var copy = self
    change(&copy)
    return copy
  }
}

/// A status event likewise.
struct SampleStatus {
  var id = "e0000000-0000-4000-8000-000000000002"
  var timestamp: Int64? = 1_700_000_000
  var device: (id: String, type: Int64)? = ("car-1", 1)
  var status: (field: Int, value: Int64?)? = (5, 3)
  var charge: Int64 = 50
  var energy: Int64 = 1_000_000
  var range: Double?
  var target: (charge: Int64, completionNanos: Int64)?
  var sessionID = ""

  var bytes: [UInt8] {
    WireBuilder { event in
      event.text(1, id)
      if let timestamp { event.message(2) { $0.number(1, timestamp) } }
      if let device {
        event.message(3) {
          $0.text(1, device.id)
          $0.number(3, device.type)
        }
      }
      if let status {
        if let value = status.value { event.number(status.field, value) } else { event.message(status.field) { _ in } }
      }
      event.number(8, charge)
      event.number(9, energy)
      if let range { event.message(10) { $0.double(1, range) } }
      if let target {
        event.message(11) {
          $0.number(1, target.charge)
          $0.message(2) { $0.number(2, target.completionNanos) }
        }
      }
      event.text(12, sessionID)
    }.bytes
  }

  func with(_ change: (inout SampleStatus) -> Void) -> SampleStatus {
    var copy = self
    change(&copy)
    return copy
  }
}

let sampleVenue = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

func batch(_ events: [[UInt8]], statuses: [[UInt8]] = [], venue: String = sampleVenue) -> [UInt8] {
  WireBuilder { request in
    request.text(1, venue)
    for event in events { request.data(2, event) }
    for status in statuses { request.data(3, status) }
  }.bytes
}

func decode(
  _ message: [UInt8], rules: SessionRules = .strict, arena: DecodeArena = DecodeArena()
) throws(WireError) -> SubmitLoadEventsRequest {
  try message.withBytes { bytes throws(WireError) in
    try SubmitLoadEventsRequest(decoding: bytes, arena: arena, sessionRules: rules)
  }
}

extension [UInt8] {
  /// `withUnsafeBytes` with typed errors, on bytes that end where their allocation ends, so that the address
  /// sanitizer sees a read too far.
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: self)
    return try body(UnsafeRawBufferPointer(copy))
  }
}

/// xorshift64*: the same numbers for the same seed everywhere.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
