internal import CEnergyProto
internal import EnergyModel
internal import FoundationEssentials
package import ProtobufWire

/// Decodes a batch in slices, so that a large one does not hold its event loop for long (docs/architecture.md, Limits):
///
///     var decoder = try LoadEventBatchDecoder(message)
///     while try !decoder.decodeSlice(of: message, arena: arena) { /* let others run */ }
///     let request = decoder.request
///
/// Events are counted on the wire before any is unpacked, and unpacked one at a time, so the arena holds one event.
/// The message may have been copied between two slices; its bytes must be the same.
package struct LoadEventBatchDecoder {
  package static let maximumEventCount = 10_000
  package static let maximumFaultCount = 1000
  /// One event of more bytes is refused: honest ones have a few hundred.
  package static let maximumEventByteCount = 64 << 10
  /// A slice ends after so many events or bytes.
  package static let sliceEventCount = 500
  package static let sliceByteCount = 256 << 10
  /// Bytes that an event without faults has at least: three UUIDs and their tags.
  private static let leastEventByteCount = 114

  private let fields: BatchFields
  private let summary: BatchSummary
  private var reader: EventReader
  private var scanner = WireScanner()
  private var loadEvents: [Indexed<LoadEvent>] = []
  private var statusEvents: [Indexed<ElectricVehicleStatusEvent>] = []
  private var loadEventIndex = 0
  private var statusEventIndex = 0

  /// Counts the events and reads what stands beside them. Throws where the message is cut or garbled at its top level,
  /// has too many fields, or names no venue.
  package init(
    _ message: UnsafeRawBufferPointer, fields: BatchFields = .submit, sessionRules: SessionRules = .strict
  ) throws(WireError) {
    self.fields = fields
    summary = try BatchSummary(message, fields: fields)
    reader = EventReader(faults: FaultList(limit: Self.maximumFaultCount), rules: sessionRules)
    guard (1...Self.maximumEventCount).contains(summary.eventCount) else {
      reader.faults.add(.malformed, nil, "load_events", "a batch has 1 to 10000 events")
      return
    }
    let most = message.count / Self.leastEventByteCount
    loadEvents.reserveCapacity(min(summary.loadEventCount, most))
    statusEvents.reserveCapacity(min(summary.statusEventCount, most))
  }

  /// Events in the message; at most 10,001 are counted.
  package var eventCount: Int { summary.eventCount }

  private var isRefused: Bool { !(1...Self.maximumEventCount).contains(summary.eventCount) }

  /// Decodes and checks the next events. Returns whether that was the last slice.
  package mutating func decodeSlice(
    of message: UnsafeRawBufferPointer, arena: DecodeArena
  ) throws(WireError) -> Bool {
    guard !isRefused else { return true }
    let start = scanner.offset
    var count = 0
    while let field = try scanner.next(in: message) {
      guard field.number == fields.loadEvents || field.number == fields.statusEvents else { continue }
      let bytes = UnsafeRawBufferPointer(rebasing: message[field.payload])
      if bytes.count > Self.maximumEventByteCount {
        refuseTooLarge(isLoadEvent: field.number == fields.loadEvents)
      } else if field.number == fields.loadEvents {
        try decodeLoadEvent(bytes, arena)
      } else {
        try decodeStatusEvent(bytes, arena)
      }
      count += 1
      if count >= Self.sliceEventCount || scanner.offset - start >= Self.sliceByteCount { return false }
    }
    return true
  }

  private mutating func refuseTooLarge(isLoadEvent: Bool) {
    reader.faults.add(
      .malformed, isLoadEvent ? .loadEvent(loadEventIndex) : .vehicleStatusEvent(statusEventIndex), "",
      "an event has at most 64 KiB")
    if isLoadEvent { loadEventIndex += 1 } else { statusEventIndex += 1 }
  }

  private mutating func decodeLoadEvent(_ bytes: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(WireError) {
    arena.begin(messageByteCount: bytes.count)
    guard
      let raw = energykit__v1__load_event__unpack(
        arena.allocator, bytes.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    let index = loadEventIndex
    loadEventIndex += 1
    guard let event = try reader.loadEvent(raw, at: .loadEvent(index), arena) else { return }
    loadEvents.append(Indexed(index: index, event: event))
  }

  private mutating func decodeStatusEvent(_ bytes: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(WireError) {
    arena.begin(messageByteCount: bytes.count)
    guard
      let raw = energykit__v1__electric_vehicle_status_event__unpack(
        arena.allocator, bytes.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    let index = statusEventIndex
    statusEventIndex += 1
    guard let event = try reader.statusEvent(raw, at: .vehicleStatusEvent(index), arena) else { return }
    statusEvents.append(Indexed(index: index, event: event))
  }

  /// What has been decoded; complete once `decodeSlice` has returned `true`.
  package var request: SubmitLoadEventsRequest {
    SubmitLoadEventsRequest(
      venueID: summary.venueID, allowsPartialSuccess: summary.allowsPartialSuccess, loadEvents: loadEvents,
      statusEvents: statusEvents, faults: reader.faults.kept, faultCount: reader.faults.count,
      malformedEvents: reader.malformedEvents, refusedSessionIDs: reader.refusedSessionIDs,
      eventCount: isRefused ? 0 : summary.eventCount, zeroedEventCount: reader.zeroedEventCount)
  }
}

/// Where the parts of a batch stand in the message that carries it.
package struct BatchFields: Sendable {
  let venueID: UInt32
  let loadEvents: UInt32
  let statusEvents: UInt32
  let allowsPartialSuccess: UInt32

  /// `SubmitLoadEventsRequest`.
  package static let submit = BatchFields(venueID: 1, loadEvents: 2, statusEvents: 3, allowsPartialSuccess: 4)
  /// `StreamLoadEventsRequest`.
  package static let stream = BatchFields(venueID: 2, loadEvents: 3, statusEvents: 4, allowsPartialSuccess: 5)
}

/// What can be said of a batch without unpacking its events.
struct BatchSummary {
  let venueID: UUID
  private(set) var allowsPartialSuccess = false
  private(set) var loadEventCount = 0
  private(set) var statusEventCount = 0

  var eventCount: Int { loadEventCount + statusEventCount }

  /// Stops counting once there are too many events: the rest of such a message is not looked at.
  init(_ message: UnsafeRawBufferPointer, fields: BatchFields) throws(WireError) {
    var venue: Range<Int>?
    var otherCount = 0
    var scanner = WireScanner()
    var events = 0
    while events <= LoadEventBatchDecoder.maximumEventCount, let field = try scanner.next(in: message) {
      switch (field.number, field.type) {
      case (fields.loadEvents, .lengthDelimited): loadEventCount += 1
      case (fields.statusEvents, .lengthDelimited): statusEventCount += 1
      case (fields.venueID, .lengthDelimited): venue = field.payload
      case (fields.allowsPartialSuccess, .varint): allowsPartialSuccess = field.value != 0
      case (fields.loadEvents, _), (fields.statusEvents, _), (fields.venueID, _), (fields.allowsPartialSuccess, _):
        throw .unparsable
      default: break
      }
      let eventsNow = loadEventCount + statusEventCount
      if eventsNow == events { otherCount += 1 }
      events = eventsNow
      guard otherCount <= DecodeArena.fieldLimit else { throw .tooComplex }
    }
    guard let venue else {
      if events > LoadEventBatchDecoder.maximumEventCount { throw .tooComplex }
      throw .invalid("venue_id", "a UUID is needed")
    }
    let text = UnsafeRawBufferPointer(rebasing: message[venue])
    guard let venueID = UUID(text: text) else {
      guard String(validating: text, as: UTF8.self) != nil else { throw .unparsable }
      throw .invalid("venue_id", text.isEmpty ? "a UUID is needed" : "is not a UUID")
    }
    self.venueID = venueID
  }
}
