import EnergyModel
import EnergyWire
import ProtobufWire
import TestSupport
import Testing

/// docs/architecture.md, Limits: what a peer can send is refused in bounded time and memory.
@Suite(.serialized) struct `Hostile input` {
  static let unparsable: [(String, [UInt8])] = {
    let good = SampleEvent()
    let notUTF8: [UInt8] = [0xC3, 0x28]
    func with(_ field: Int, _ content: [UInt8]) -> [UInt8] {
      batch([good.with { $0.extra = WireBuilder { $0.data(field, content) }.bytes }.bytes])
    }
    return [
      ("cut tag", batch([good.bytes]) + [0x80]),
      ("cut length", batch([good.bytes]) + [0x12, 0xFF]),
      ("length beyond the end", batch([good.bytes]) + [0x12, 0x05, 0x00]),
      ("length of 2^64 - 1", [0x12] + Array(repeating: 0xFF, count: 9) + [0x01]),
      ("varint of 11 bytes", [0x08] + Array(repeating: 0xFF, count: 10) + [0x01]),
      ("field 0", [0x02, 0x00]),
      ("field above 2^29", WireBuilder { $0.varint(1 << 33) }.bytes + [0]),
      ("a group", [0x0B, 0x0C]),
      ("wire type 7", [0x0F, 0x00]),
      ("cut fixed64", [0x09, 1, 2, 3]),
      ("venue as a number", WireBuilder { $0.number(1, 5) }.bytes),
      ("event as a number", batch([good.bytes]) + WireBuilder { $0.number(2, 5) }.bytes),
      ("cut event", batch([Array(good.bytes.dropLast())])),
      ("id as a number", batch([good.bytes + WireBuilder { $0.number(1, 5) }.bytes])),
      ("venue not UTF-8", batch([good.bytes]) + WireBuilder { $0.data(1, notUTF8) }.bytes),
      ("id not UTF-8", with(1, notUTF8)),
      ("session not UTF-8", with(3, notUTF8)),
      ("token not UTF-8", with(6, notUTF8)),
      ("device id not UTF-8", with(7, notUTF8)),
      ("id with a surrogate", with(1, [0xED, 0xA0, 0x80])),
      ("device name not UTF-8", with(8, WireBuilder { $0.data(2, notUTF8) }.bytes)),
      (
        "status event's device name not UTF-8",
        batch([], statuses: [SampleStatus().bytes + WireBuilder { $0.message(3) { $0.data(2, [0xFF]) } }.bytes])
      ),
      (
        "status event's session not UTF-8",
        batch([], statuses: [SampleStatus().bytes + WireBuilder { $0.data(12, [0xFF]) }.bytes])
      ),
    ]
  }()

  // G-060
  @Test(arguments: unparsable)
  func `that is no message is told apart from a message with faults`(name: String, message: [UInt8]) {
    #expect(throws: WireError.unparsable) { try decode(message) }
  }

  /// Singular messages of an event and of a status event, by their field.
  static let singularFields: [(isStatus: Bool, field: Int, content: [UInt8])] = {
    let device = WireBuilder {
      $0.text(1, "car-1")
      $0.text(2, "name")
    }.bytes
    let metrics = WireBuilder { $0.message(5) { $0.message(1) { $0.double(1, 1) } } }.bytes
    return [
      (false, 2, []), (false, 8, device), (false, 9, metrics), (false, 10, []), (true, 2, []), (true, 3, device),
      (true, 4, []), (true, 11, WireBuilder { $0.message(2) { _ in } }.bytes),
    ]
  }()

  @Test(arguments: singularFields)
  func `that repeats a singular field 32000 times costs little`(isStatus: Bool, field: Int, content: [UInt8]) {
    let repeated = Array(repeatElement(WireBuilder { $0.data(field, content) }.bytes, count: 32_000).joined())
    let message = isStatus ? batch([], statuses: [repeated]) : batch([repeated])
    expectBounded(message)
    // As many as one event may hold.
    let less = Array(
      repeated.prefix(LoadEventBatchDecoder.maximumEventByteCount / (content.count + 2) * (content.count + 2)))
    expectBounded(isStatus ? batch([], statuses: [less]) : batch([less]))
  }

  @Test func `of 4 MiB of empty events is refused for their number`() throws {
    let message = batch(Array(repeating: [], count: 2 << 20))
    let request = expectBounded(message)
    #expect(request?.faults.map(\.reason) == [.malformed])
  }

  @Test(arguments: [WireBuilder { $0.number(100, 1) }.bytes, [0x7A, 0x00]])
  func `of 4 MiB of unknown fields is refused`(field: [UInt8]) throws {
    let unknown = Array(repeatElement(field, count: (4 << 20) / field.count).joined())
    #expect(expectBounded(unknown) == nil)
    #expect(expectBounded(batch([unknown]))?.faults.map(\.path) == ["load_events[0]"])
    let inEvents = Array(repeating: Array(unknown.prefix(60_000)), count: 60)
    expectBounded(batch(inEvents))
    #expect(throws: WireError.tooComplex) { try decode(unknown) }
    let arena = DecodeArena()
    for message in [unknown, unknown + [0x0A]] {
      #expect(throws: WireError.tooComplex) {
        try message.withBytes { bytes throws(WireError) in try GetGuidanceRequest(decoding: bytes, arena: arena) }
      }
      #expect(throws: WireError.tooComplex) {
        try message.withBytes { bytes throws(WireError) in
          try PublishGridSignalRequest(decoding: bytes, arena: arena)
        }
      }
    }
  }

  @Test func `of one event of 4 MiB is refused, the others are read`() throws {
    let event = SampleEvent().with { $0.deviceID = Array(repeating: 97, count: 4 << 20) }
    let request = try decode(batch([SampleEvent().bytes, event.bytes, SampleEvent().bytes]))
    #expect(request.loadEvents.map(\.index) == [0, 2])
    #expect(request.faults.map { "\($0.path) \($0.reason.rawValue)" } == ["load_events[1] MALFORMED"])
  }

  @Test func `with the longest names is decoded in short slices`() throws {
    let name = Array(repeating: UInt8(ascii: "\t"), count: 60_000)
    let event = SampleEvent().with {
      $0.deviceID = nil
      $0.device = (Array("a".utf8), name, 1)
    }
    let message = batch(Array(repeating: event.bytes, count: 60))
    let arena = DecodeArena()
    let clock = ContinuousClock()
    var longest = Duration.zero
    try message.withBytes { bytes throws(WireError) in
      var decoder = try LoadEventBatchDecoder(bytes)
      var isDone = false
      while !isDone {
        let start = clock.now
        isDone = try decoder.decodeSlice(of: bytes, arena: arena)
        longest = max(longest, clock.now - start)
      }
      #expect(decoder.request.loadEvents.count == 60)
    }
    #expect(longest < .seconds(2))
  }

  /// 300 seeds: bits flipped, bytes put in, taken out, doubled and cut in a valid batch.
  @Test(arguments: 0..<30)
  func `mutated from a valid batch never crashes and stays bounded`(block: Int) throws {
    let originals = [Vectors.vehicleBatch, Vectors.mixedBatch, Vectors.publishGridSignalRequest].map { bytes(hex: $0) }
    let arena = DecodeArena()
    for seed in block * 10..<block * 10 + 10 {
      var random = SeededRandom(seed: UInt64(seed) + 1)
      for _ in 0..<40 {
        var message = originals[seed % originals.count]
        for _ in 0..<Int.random(in: 1...8, using: &random) { mutate(&message, &random) }
        try decodeAsEverything(message, arena)
      }
    }
  }

  private func mutate(_ message: inout [UInt8], _ random: inout SeededRandom) {
    guard let place = message.indices.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: message[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: message[place] = UInt8.random(in: 0...255, using: &random)
    case 2: message.insert(UInt8.random(in: 0...255, using: &random), at: place)
    case 3: message.remove(at: place)
    case 4: message.removeLast(min(place, message.count))
    case _:
      let end = min(message.count, place + Int.random(in: 1...200, using: &random))
      message.insert(contentsOf: message[place..<end], at: place)
    }
  }

  private func decodeAsEverything(_ message: [UInt8], _ arena: DecodeArena) throws {
    expectBounded(message, arena)
    message.withUnsafeBytes { _ in }
    _ = try? message.withBytes { bytes throws(WireError) in try ListVenuesRequest(decoding: bytes, arena: arena) }
    _ = try? message.withBytes { bytes throws(WireError) in try GetVenueRequest(decoding: bytes, arena: arena) }
    _ = try? message.withBytes { bytes throws(WireError) in try GetGuidanceRequest(decoding: bytes, arena: arena) }
    _ = try? message.withBytes { bytes throws(WireError) in try StreamGuidanceRequest(decoding: bytes, arena: arena) }
    _ = try? message.withBytes { bytes throws(WireError) in
      try PublishGridSignalRequest(decoding: bytes, arena: arena)
    }
    #expect(arena.reservedByteCount <= 32 << 20)
  }

  /// Decodes and sees that neither time nor memory went beyond what the limits allow. `nil` where it was refused.
  @discardableResult
  private func expectBounded(_ message: [UInt8], _ arena: DecodeArena = DecodeArena()) -> SubmitLoadEventsRequest? {
    let clock = ContinuousClock()
    let start = clock.now
    let request = try? decode(message, arena: arena)
    #expect(clock.now - start < .seconds(5))
    #expect(arena.usedByteCount <= max(64 << 10, min(8 * message.count, 32 << 20)))
    #expect(arena.reservedByteCount <= 1 << 20)
    return request
  }
}
