import EnergyModel
import FoundationEssentials

/// The rules of sessions and devices for one batch (docs/architecture.md, Sessions): looks at an event, and takes it in
/// once it is accepted. What it took in can be taken back until the batch is settled.
///
/// The session at hand is held apart, so that a run of events of one session costs one look into the table.
struct SessionJudge {
  /// Devices that a client may have at a venue.
  static let maximumDeviceCount = 256
  /// Sessions that a client may have open at a venue, those silent for long not counted.
  static let maximumOpenCount = 64
  /// As long without an event, a session no longer counts as open where open ones are counted.
  static let silenceMilliseconds: Int64 = 48 * 3600 * 1000

  private enum Change {
    case session(UUID, was: LoadSession?)
    case open(SessionScope.Slot, was: UUID?)
    case device(DeviceID)
  }

  private struct AtHand {
    let id: UUID
    var session: LoadSession?
    var hasChanged = false
  }

  private let book: SessionBook
  private let scope: SessionScope
  private var atHand: AtHand?
  private var changes: [Change] = []

  init(of owner: EventOwner, in ledger: inout some EventLedger) throws(StoreError) {
    book = ledger.sessions
    if let known = book.scope(of: owner) {
      scope = known
    } else {
      scope = book.add(try ledger.storedSessions(of: owner), of: owner)
    }
  }

  // MARK: Load events

  /// What is wrong with the event after those accepted before it; for an event that is new.
  mutating func faults(
    of event: LoadEvent, in ledger: inout some EventLedger
  ) throws(StoreError) -> SessionFaults {
    try turn(to: event.sessionID, in: &ledger)
    guard let session = atHand?.session else { return faults(ofFirst: event) }
    var faults: SessionFaults = []
    if session.device != event.device.id { faults.insert(.otherDevice) }
    if session.flow != LoadFlow(event.measurement) { faults.insert(.otherFlow) }
    guard faults.isEmpty else { return faults }
    if case .begin = event.sessionState { return .begunBefore }
    guard session.isOpen else { return .afterEnd }
    if event.timestamp < session.lastTime { faults.insert(.timeFalls) }
    if case .electricVehicle(let measurement) = event.measurement, measurement.energy < session.lastEnergy {
      faults.insert(.energyFalls)
    }
    return faults
  }

  private func faults(ofFirst event: LoadEvent) -> SessionFaults {
    guard case .begin = event.sessionState else { return .notBegun }
    guard let open = scope.devices[event.device.id] else {
      return scope.devices.count < Self.maximumDeviceCount ? [] : .tooManyDevices
    }
    let other = open[LoadFlow(event.measurement)].flatMap { scope.sessions[$0] }
    guard let other, event.timestamp < other.lastTime else { return [] }
    return .beginsTooEarly
  }

  /// Takes the event in, which had no faults when it was looked at last.
  mutating func accept(_ event: LoadEvent) {
    let energy: Energy =
      switch event.measurement {
      case .electricVehicle(let measurement): measurement.energy
      case .hvac: .zero
      }
    guard let before = atHand?.session else { return begin(event, energy) }
    // One that speaks again after a long silence counts again.
    if event.timestamp.milliseconds(since: before.lastTime) > Self.silenceMilliseconds { makeRoom(at: event.timestamp) }
    atHand?.session?.lastTime = event.timestamp
    atHand?.session?.lastEnergy = energy
    atHand?.hasChanged = true
    if case .end = event.sessionState {
      atHand?.session?.isOpen = false
      vacate(SessionScope.Slot(device: event.device.id, flow: LoadFlow(event.measurement)), of: event.sessionID)
    }
  }

  private mutating func begin(_ event: LoadEvent, _ energy: Energy) {
    let slot = SessionScope.Slot(device: event.device.id, flow: LoadFlow(event.measurement))
    let deviceCount = scope.devices.count
    let other = scope.open(event.sessionID, in: slot)
    if scope.devices.count > deviceCount { changes.append(.device(slot.device)) }
    changes.append(.open(slot, was: other))
    if let other { close(other) }
    atHand?.session = LoadSession(
      device: slot.device, flow: slot.flow, beginTime: event.timestamp, lastTime: event.timestamp, lastEnergy: energy,
      isOpen: true)
    atHand?.hasChanged = true
    book.countOne()
    makeRoom(at: event.timestamp)
  }

  /// Where more are open than may be, the one that has been silent longest counts as ended. The one at hand, which has
  /// just begun, is none of them.
  private mutating func makeRoom(at time: Timestamp) {
    guard scope.openCount > Self.maximumOpenCount else { return }
    let earliest = time.advanced(byMilliseconds: -Self.silenceMilliseconds)
    let others = scope.openSessionIDs.filter { $0 != atHand?.id }
    let live = others.compactMap { id in scope.sessions[id].map { (lastTime: $0.lastTime, id: id) } }
      .filter { $0.lastTime > earliest }
    guard live.count >= Self.maximumOpenCount else { return }
    let longestSilent = live.min { ($0.lastTime, $0.id.high, $0.id.low) < ($1.lastTime, $1.id.high, $1.id.low) }
    guard let longestSilent, let session = scope.sessions[longestSilent.id] else { return }
    close(longestSilent.id)
    vacate(SessionScope.Slot(device: session.device, flow: session.flow), of: longestSilent.id)
  }

  /// Ends a session that is not at hand, as of its last event.
  private mutating func close(_ id: UUID) {
    guard let place = scope.sessions.index(forKey: id) else { return }
    changes.append(.session(id, was: scope.sessions.values[place]))
    scope.sessions.values[place].isOpen = false
  }

  private mutating func vacate(_ slot: SessionScope.Slot, of id: UUID) {
    guard scope.devices[slot.device]?[slot.flow] == id else { return }
    changes.append(.open(slot, was: id))
    scope.open(nil, in: slot)
  }

  // MARK: Status events

  mutating func faults(
    of event: ElectricVehicleStatusEvent, in ledger: inout some EventLedger
  ) throws(StoreError) -> SessionFaults {
    var faults: SessionFaults = []
    if !hasRoom(for: event.device.id) { faults.insert(.tooManyDevices) }
    if let sessionID = event.sessionID {
      try turn(to: sessionID, in: &ledger)
      if atHand?.session == nil { faults.insert(.unknownSession) }
    }
    return faults
  }

  mutating func accept(_ event: ElectricVehicleStatusEvent) {
    addDevice(event.device.id)
  }

  // MARK: The batch

  /// Keeps what was taken in.
  mutating func settle() {
    putBack()
    for change in changes {
      switch change {
      case .session(let id, _): book.note(sessionID: id, in: scope)
      case .device(let device): book.note(device, of: scope.owner)
      case .open: break
      }
    }
    changes = []
  }

  /// Takes everything back.
  mutating func takeBack() {
    putBack()
    for change in changes.reversed() {
      switch change {
      case .session(let id, let was): scope.sessions[id] = was
      case .open(let slot, let was): scope.open(was, in: slot)
      case .device(let device): scope.remove(device)
      }
    }
    changes = []
  }

  private mutating func turn(to id: UUID, in ledger: inout some EventLedger) throws(StoreError) {
    guard atHand?.id != id else { return }
    putBack()
    var session = scope.sessions[id]
    if session == nil, let stored = try ledger.storedSession(id, of: scope.owner) {
      session = stored
      scope.sessions[id] = stored
      book.countOne()
    }
    atHand = AtHand(id: id, session: session)
  }

  private mutating func putBack() {
    if let hand = atHand, hand.hasChanged, let session = hand.session {
      changes.append(.session(hand.id, was: scope.sessions.updateValue(session, forKey: hand.id)))
    }
    atHand = nil
  }

  private func hasRoom(for device: DeviceID) -> Bool {
    scope.devices.count < Self.maximumDeviceCount || scope.devices[device] != nil
  }

  private mutating func addDevice(_ device: DeviceID) {
    if scope.add(device) { changes.append(.device(device)) }
  }
}

/// What may be wrong with a new event by the rules of sessions and devices.
struct SessionFaults: OptionSet {
  let rawValue: UInt16

  static let notBegun = SessionFaults(rawValue: 1)
  static let begunBefore = SessionFaults(rawValue: 1 << 1)
  static let afterEnd = SessionFaults(rawValue: 1 << 2)
  /// Before the last event of the open session that it would end.
  static let beginsTooEarly = SessionFaults(rawValue: 1 << 3)
  static let timeFalls = SessionFaults(rawValue: 1 << 4)
  static let energyFalls = SessionFaults(rawValue: 1 << 5)
  static let otherDevice = SessionFaults(rawValue: 1 << 6)
  static let otherFlow = SessionFaults(rawValue: 1 << 7)
  static let tooManyDevices = SessionFaults(rawValue: 1 << 8)
  /// Of a status event.
  static let unknownSession = SessionFaults(rawValue: 1 << 9)

  static let ofUnknownSession: SessionFaults = [.notBegun, .unknownSession]

  /// What the caller hears, most telling first.
  ///
  /// - Parameter deviceField: Where the event names its device.
  func faults(at position: EventPosition, deviceField: String) -> [LoadEventFault] {
    let words: [(SessionFaults, String, LoadEventFault.Reason, String)] = [
      (.tooManyDevices, deviceField, .invalidDevice, "a client has at most 256 devices at a venue"),
      (.otherDevice, deviceField, .sessionMismatch, "the session is another device's"),
      (.otherFlow, "electric_vehicle.direction", .sessionMismatch, "the session is one of another direction or kind"),
      (.notBegun, "session_state", .sessionOutOfOrder, "the session has not begun: BEGIN comes first"),
      (.begunBefore, "session_state", .sessionOutOfOrder, "the session has begun before: BEGIN comes once"),
      (.afterEnd, "session_state", .sessionOutOfOrder, "the session has ended"),
      (
        .beginsTooEarly, "timestamp", .sessionOutOfOrder,
        "lies before the last event of the device's open session, which a BEGIN would end"
      ),
      (.timeFalls, "timestamp", .notMonotonic, "lies before an earlier event of the session"),
      (.energyFalls, "electric_vehicle.energy_milliwatt_hours", .notMonotonic, "is less than earlier in the session"),
      (.unknownSession, "session_id", .sessionOutOfOrder, "no such session has begun"),
    ]
    return words.compactMap { fault, field, reason, description in
      guard contains(fault) else { return nil }
      return LoadEventFault(position: position, field: field, reason: reason, description: description)
    }
  }
}
