import EnergyModel
import FoundationEssentials
import Storage

extension Int64 {
  /// The next row's number.
  ///
  /// - Throws: `failed` where there is none: the file is damaged.
  func successor(of row: String) throws(StoreError) -> Int64 {
    let (next, overflow) = addingReportingOverflow(1)
    guard !overflow else { throw .failed(operation: "number \(row)", reason: "the largest number is in use") }
    return next
  }
}

/// The tables of sessions and devices. Used by the writer's thread only.
final class SessionTable {
  private let connection: Connection
  private let openSessions: Statement
  private let devices: Statement
  private let lookup: Statement
  private let insertion: Statement
  private let update: Statement
  private let deviceInsertion: Statement
  /// A transaction that fails leaves a gap.
  private var nextNumber: Int64

  private static let content = "device_id, flow, begin_time, last_time, last_energy, is_open, number"

  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    openSessions = try connection.prepare(
      "SELECT \(Self.content), id FROM load_sessions WHERE client_id = ? AND venue_id = ? AND is_open")
    devices = try connection.prepare("SELECT device_id FROM load_devices WHERE client_id = ? AND venue_id = ?")
    lookup = try connection.prepare(
      "SELECT \(Self.content) FROM load_sessions WHERE id = ? AND venue_id = ? AND client_id = ?")
    insertion = try connection.prepare(
      """
      INSERT INTO load_sessions
        (number, id, venue_id, client_id, device_id, flow, begin_time, last_time, last_energy, is_open)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    update = try connection.prepare(
      "UPDATE load_sessions SET last_time = ?, last_energy = ?, is_open = ? WHERE number = ?")
    deviceInsertion = try connection.prepare(
      "INSERT INTO load_devices (client_id, venue_id, device_id) VALUES (?, ?, ?)")
    nextNumber = try connection.integer("SELECT coalesce(max(number), 0) FROM load_sessions").successor(of: "a session")
  }

  func sessions(of owner: EventOwner) throws(StoreError) -> StoredSessions {
    var stored = StoredSessions()
    try openSessions.bind(owner.clientID, at: 1)
    try openSessions.bind(owner.venueID, at: 2)
    defer { openSessions.reset() }
    while try openSessions.step() { stored.open[try openSessions.uuid(7)] = try session(in: openSessions) }
    try devices.bind(owner.clientID, at: 1)
    try devices.bind(owner.venueID, at: 2)
    defer { devices.reset() }
    while try devices.step() { stored.devices.insert(try devices.valid(DeviceID(devices.text(0)), 0)) }
    return stored
  }

  func session(_ id: UUID, of owner: EventOwner) throws(StoreError) -> LoadSession? {
    try lookup.bind(id, at: 1)
    try lookup.bind(owner.venueID, at: 2)
    try lookup.bind(owner.clientID, at: 3)
    defer { lookup.reset() }
    return try lookup.step() ? session(in: lookup) : nil
  }

  private func session(in row: Statement) throws(StoreError) -> LoadSession {
    LoadSession(
      device: try row.valid(DeviceID(row.text(0)), 0),
      flow: try row.valid(LoadFlow(rawValue: UInt8(clamping: row.integer(1))), 1), beginTime: row.timestamp(2),
      lastTime: row.timestamp(3), lastEnergy: try row.valid(Energy(milliwattHours: row.integer(4)), 4),
      isOpen: row.boolean(5), number: row.integer(6))
  }

  func write(_ device: DeviceID, of owner: EventOwner) throws(StoreError) {
    try deviceInsertion.bind(owner.clientID, at: 1)
    try deviceInsertion.bind(owner.venueID, at: 2)
    try deviceInsertion.bind(device.text, at: 3)
    try deviceInsertion.run()
  }

  /// Returns the number of its row.
  func write(_ session: LoadSession, id: UUID, of owner: EventOwner) throws(StoreError) -> Int64 {
    guard session.number == 0 else {
      try update.bind(session.lastTime, at: 1)
      try update.bind(session.lastEnergy.milliwattHours, at: 2)
      try update.bind(session.isOpen, at: 3)
      try update.bind(session.number, at: 4)
      try update.run()
      return session.number
    }
    let number = nextNumber
    nextNumber = try number.successor(of: "a session")
    try insertion.bind(number, at: 1)
    try insertion.bind(id, at: 2)
    try insertion.bind(owner.venueID, at: 3)
    try insertion.bind(owner.clientID, at: 4)
    try insertion.bind(session.device.text, at: 5)
    try insertion.bind(Int64(session.flow.rawValue), at: 6)
    try insertion.bind(session.beginTime, at: 7)
    try insertion.bind(session.lastTime, at: 8)
    try insertion.bind(session.lastEnergy.milliwattHours, at: 9)
    try insertion.bind(session.isOpen, at: 10)
    try insertion.run()
    return number
  }
}
