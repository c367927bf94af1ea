import EnergyModel
import EnergyWire
import FoundationEssentials

/// Load events as JSON: documents one after the other, lines of them or not. Each is an event, or a
/// SubmitLoadEventsRequest with many (docs/ctl.md, Events in a file).
struct EventFile {
  /// An event and where it stands in the file.
  struct Entry {
    let venueID: UUID
    let event: Contract.EncodedEvent
    let line: Int
  }

  private(set) var entries: [Entry] = []
  private let venueID: UUID?

  /// - Parameter venueID: Of events whose document does not say it.
  init(_ bytes: [UInt8], venueID: UUID?) throws(JSONText.Fault) {
    self.venueID = venueID
    var reader = JSONReader(bytes)
    while let document = try reader.next() { try take(document) }
  }

  private mutating func take(_ document: JSONText.Value) throws(JSONText.Fault) {
    let load = document.either("loadEvents", "load_events")
    let status = document.either("vehicleStatusEvents", "vehicle_status_events")
    guard load != nil || status != nil else { return try append(document, Self.kind(of: document), venueID, document) }
    let own = try venue(of: document)
    try append(all: load, .load, own, document)
    try append(all: status, .vehicleStatus, own, document)
  }

  private func venue(of batch: JSONText.Value) throws(JSONText.Fault) -> UUID? {
    guard case .object(let members) = batch.content else { return venueID }
    let known = ["loadEvents", "load_events", "vehicleStatusEvents", "vehicle_status_events", "venueId", "venue_id"]
    for member in members where !known.contains(member.name) {
      throw .init(line: member.value.line, "a batch has no \"\(member.name)\" here; --partial is a flag")
    }
    guard let text = batch.either("venueId", "venue_id") else { return venueID }
    guard let id = text.text.flatMap({ UUID(text: $0) }) else { throw .init(line: text.line, "venueId is no UUID") }
    return id
  }

  private mutating func append(
    all list: JSONText.Value?, _ kind: Contract.EncodedEvent.Kind, _ venueID: UUID?, _ batch: JSONText.Value
  ) throws(JSONText.Fault) {
    guard let list else { return }
    guard case .array(let events) = list.content else { throw .init(line: list.line, "a list of events is needed") }
    for event in events { try append(event, kind, venueID, batch) }
  }

  private mutating func append(
    _ event: JSONText.Value, _ kind: Contract.EncodedEvent.Kind, _ venueID: UUID?, _ document: JSONText.Value
  ) throws(JSONText.Fault) {
    guard let venueID else { throw .init(line: document.line, "whose venue? venueId in a batch, or --venue") }
    entries.append(Entry(venueID: venueID, event: try Contract.EncodedEvent(kind, json: event), line: event.line))
  }

  /// Only status events say what a charger does.
  private static func kind(of event: JSONText.Value) -> Contract.EncodedEvent.Kind {
    let marks = [
      ("chargerPluggedIn", "charger_plugged_in"), ("chargingActive", "charging_active"),
      ("chargingIdle", "charging_idle"), ("chargerUnplugged", "charger_unplugged"),
    ]
    return marks.contains { event.either($0, $1) != nil } ? .vehicleStatus : .load
  }
}

extension JSONText.Value {
  fileprivate func either(_ first: String, _ second: String) -> JSONText.Value? { member(first) ?? member(second) }
}

/// Events that go in one call.
struct EventBatch {
  let venueID: UUID
  private(set) var entries: [EventFile.Entry] = []
  private(set) var byteCount = 0

  /// Below the 4 MiB that a server takes.
  static let maximumByteCount = 3 << 20

  /// Cuts a file's events into batches of one venue each, in order.
  static func cut(_ entries: [EventFile.Entry], maximumCount: Int) -> [EventBatch] {
    var batches: [EventBatch] = []
    for entry in entries {
      let size = entry.event.bytes.count + 8
      if let last = batches.last, last.venueID == entry.venueID, last.entries.count < maximumCount,
        last.byteCount + size <= maximumByteCount
      {
        batches[batches.count - 1].add(entry, size)
      } else {
        var batch = EventBatch(venueID: entry.venueID)
        batch.add(entry, size)
        batches.append(batch)
      }
    }
    return batches
  }

  private init(venueID: UUID) {
    self.venueID = venueID
  }

  private mutating func add(_ entry: EventFile.Entry, _ size: Int) {
    entries.append(entry)
    byteCount += size
  }

  func call(allowsPartialSuccess: Bool) -> Contract.SubmitLoadEvents {
    Contract.SubmitLoadEvents(
      venueID: venueID, events: entries.map(\.event), allowsPartialSuccess: allowsPartialSuccess)
  }

  /// The line of the file that a fault's path stands for: of `load_events[3].guidance_token` the fourth load event's.
  func line(of field: String) -> Int? {
    let lists: [(String, Contract.EncodedEvent.Kind)] = [
      ("load_events[", .load), ("vehicle_status_events[", .vehicleStatus),
    ]
    for (prefix, kind) in lists where field.hasPrefix(prefix) {
      let digits = field.dropFirst(prefix.count).prefix { $0 != "]" }
      let events = entries.filter { $0.event.kind == kind }
      guard let index = Int(digits), events.indices.contains(index) else { return nil }
      return events[index].line
    }
    return nil
  }
}
