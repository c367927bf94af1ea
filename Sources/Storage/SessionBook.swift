package import EnergyModel
package import FoundationEssentials

/// The sessions of all owners as far as they are in memory, and what of them the store has yet to write. Used by one
/// thread at a time: the writer's.
///
/// A store that can read them again gives a bound; then what has not been used for long is let go after a commit.
package final class SessionBook {
  private let maximumCount: Int?
  private var scopes: [EventOwner: SessionScope] = [:]
  /// Sessions and owners in memory; too high where a batch was refused, until the next sweep.
  private var count = 0
  private var changed: [(scope: SessionScope, sessionID: UUID)] = []
  private var newDevices: [(owner: EventOwner, device: DeviceID)] = []

  /// - Parameter maximumCount: Sessions and owners kept in memory, about; `nil` where this is the only place they have.
  package init(maximumCount: Int?) {
    self.maximumCount = maximumCount
  }

  func scope(of owner: EventOwner) -> SessionScope? {
    guard let scope = scopes[owner] else { return nil }
    scope.wasUsed = true
    return scope
  }

  func add(_ stored: StoredSessions, of owner: EventOwner) -> SessionScope {
    let scope = SessionScope(stored, of: owner)
    scopes[owner] = scope
    count += 1 + stored.open.count
    return scope
  }

  func countOne() { count += 1 }

  /// What a batch changed and the store has to write. Nothing is noted where this is the only place.
  func note(sessionID: UUID, in scope: SessionScope) {
    guard maximumCount != nil, scope.unwritten.insert(sessionID).inserted else { return }
    changed.append((scope, sessionID))
  }

  func note(_ device: DeviceID, of owner: EventOwner) {
    if maximumCount != nil { newDevices.append((owner, device)) }
  }

  /// Hands over all that changed since the last time, each session once, as it is now.
  ///
  /// - Parameter write: Returns the store's number of the session.
  package func writeChanges(
    devices writeDevice: (EventOwner, DeviceID) throws(StoreError) -> Void,
    sessions write: (EventOwner, UUID, LoadSession) throws(StoreError) -> Int64
  ) throws(StoreError) {
    for (owner, device) in newDevices { try writeDevice(owner, device) }
    newDevices.removeAll(keepingCapacity: true)
    for (scope, id) in changed {
      guard let session = scope.sessions[id] else { continue }
      let number = try write(scope.owner, id, session)
      if session.number == 0 { scope.sessions[id]?.number = number }
      scope.unwritten.remove(id)
    }
    changed.removeAll(keepingCapacity: true)
  }

  /// Lets go of what is too much. To be called after a commit.
  package func settle() {
    guard let maximumCount, count > maximumCount else { return }
    for (owner, scope) in scopes {
      if scope.wasUsed { scope.dropEnded() } else { scopes[owner] = nil }
      scope.wasUsed = false
    }
    count = scopes.values.reduce(0) { $0 + 1 + $1.sessions.count }
    if count > maximumCount / 2 { forgetAll() }
  }

  /// Forgets what is erased, where this is the only place that has it.
  func forget(_ erasure: EventErasure) {
    for (owner, scope) in scopes where owner.venueID == erasure.venueID {
      guard let device = erasure.device else {
        scopes[owner] = nil
        continue
      }
      if owner.clientID == device.clientID { scope.forget(deviceID: device.id) }
    }
  }

  /// To be called where a transaction has failed: what it changed here never happened.
  package func forgetAll() {
    scopes = [:]
    count = 0
    changed = []
    newDevices = []
  }
}

/// What is known of one owner: every open session and every device, and such ended sessions as were looked for.
final class SessionScope {
  let owner: EventOwner
  var sessions: [UUID: LoadSession]
  private(set) var devices: [DeviceID: OpenSessions] = [:]
  /// Of all devices.
  private(set) var openCount = 0
  fileprivate var unwritten: Set<UUID> = []
  fileprivate var wasUsed = true

  /// A device's open sessions, one of each flow at most.
  struct OpenSessions {
    private var ids = InlineArray<3, UUID?>(repeating: nil)

    subscript(flow: LoadFlow) -> UUID? {
      get { ids[Int(flow.rawValue)] }
      set { ids[Int(flow.rawValue)] = newValue }
    }

    var all: [UUID] { ids.indices.compactMap { ids[$0] } }
  }

  struct Slot: Hashable {
    let device: DeviceID
    let flow: LoadFlow
  }

  fileprivate init(_ stored: StoredSessions, of owner: EventOwner) {
    self.owner = owner
    sessions = stored.open
    for device in stored.devices { devices[device] = OpenSessions() }
    for (id, session) in stored.open { open(id, in: Slot(device: session.device, flow: session.flow)) }
  }

  var openSessionIDs: some Sequence<UUID> { devices.values.lazy.flatMap(\.all) }

  /// Returns what was open there. A device that there was not is one from now on.
  @discardableResult
  func open(_ id: UUID?, in slot: Slot) -> UUID? {
    let former = devices[slot.device, default: OpenSessions()].exchange(slot.flow, id)
    openCount += (id == nil ? 0 : 1) - (former == nil ? 0 : 1)
    return former
  }

  /// One without open sessions.
  func remove(_ device: DeviceID) { devices[device] = nil }

  /// Returns whether it is new.
  func add(_ device: DeviceID) -> Bool {
    guard devices[device] == nil else { return false }
    devices[device] = OpenSessions()
    return true
  }

  fileprivate func forget(deviceID: String) {
    sessions = sessions.filter { $0.value.device.text != deviceID }
    guard let id = DeviceID(deviceID), let gone = devices.removeValue(forKey: id) else { return }
    openCount -= gone.all.count
  }

  fileprivate func dropEnded() {
    sessions = sessions.filter { $0.value.isOpen }
  }
}

extension SessionScope.OpenSessions {
  fileprivate mutating func exchange(_ flow: LoadFlow, _ id: UUID?) -> UUID? {
    let former = self[flow]
    self[flow] = id
    return former
  }
}
