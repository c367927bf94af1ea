import EnergyModel
import FoundationEssentials
import Storage

/// How an event stands in its row: columns, and the event made of them again.
enum EventRow {
  /// The row's `kind`.
  enum Kind: Int64 {
    case load = 1
    case vehicleStatus = 2
  }

  /// The row's `status`, of a status event.
  enum StatusCode: Int64 {
    case chargerPluggedIn = 1
    case chargingActive = 2
    case chargingIdle = 3
    case chargerUnplugged = 4
  }

  /// All columns but `sequence` and the four of the key, in the order in which `event(in:)` reads them from 0 on.
  private static let content = """
    kind, device_type, device_id, device_name, session_id, session_state, was_following_guidance, guidance_token, \
    percent, direction, power, energy, has_performance, range_meters, battery_celsius, status, reason, \
    target_percent, target_completion_time, target_start_time, target_range_meters
    """

  /// Places 1...5 are the sequence and the key, 6...26 the content, 27 the time of receipt. Names the key, since a
  /// conflict of sequence numbers would be our own mistake and must not pass as a duplicate.
  static let insertion = """
    INSERT INTO events (sequence, timestamp, id, venue_id, client_id, \(content), received_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (timestamp, id, venue_id, client_id) DO NOTHING
    """

  static let lookup = """
    SELECT \(content), timestamp, id FROM events WHERE timestamp = ? AND id = ? AND venue_id = ? AND client_id = ?
    """

  /// The event in the row that the statement, prepared from `lookup`, stands on.
  static func event(in row: Statement) throws(StoreError) -> SubmittedEvent {
    switch try row.valid(Kind(rawValue: row.integer(0)), 0) {
    case .load: .load(try loadEvent(in: row))
    case .vehicleStatus: .vehicleStatus(try statusEvent(in: row))
    }
  }

  private static func loadEvent(in row: Statement) throws(StoreError) -> LoadEvent {
    LoadEvent(
      id: try row.uuid(22), timestamp: row.timestamp(21), sessionID: try row.uuid(4),
      sessionState: try row.valid(SessionState(rawValue: UInt8(clamping: row.integer(5))), 5),
      wasFollowingGuidance: row.boolean(6), guidanceToken: try row.uuid(7),
      device: DeviceIdentity(id: try row.valid(DeviceID(row.text(2)), 2), name: row.optionalText(3)),
      measurement: try measurement(in: row))
  }

  private static func measurement(in row: Statement) throws(StoreError) -> LoadEvent.Measurement {
    switch try row.valid(DeviceType(rawValue: UInt8(clamping: row.integer(1))), 1) {
    case .electricVehicle:
      .electricVehicle(
        ElectricVehicleMeasurement(
          stateOfCharge: try percent(in: row, 8),
          direction: try row.valid(ElectricityFlowDirection(rawValue: UInt8(clamping: row.integer(9))), 9),
          power: try row.valid(Power(milliwatts: row.integer(10)), 10),
          energy: try row.valid(Energy(milliwattHours: row.integer(11)), 11), performance: performance(in: row)))
    case .hvac:
      .hvac(HVACMeasurement(stage: try percent(in: row, 8)))
    }
  }

  private static func performance(in row: Statement) -> VehiclePerformance? {
    guard row.boolean(12) else { return nil }
    return VehiclePerformance(
      estimatedRangeMeters: row.optionalDouble(13), batteryTemperatureCelsius: row.optionalDouble(14))
  }

  private static func statusEvent(in row: Statement) throws(StoreError) -> ElectricVehicleStatusEvent {
    ElectricVehicleStatusEvent(
      id: try row.uuid(22), timestamp: row.timestamp(21),
      device: ElectricalLoadDevice(
        id: try row.valid(DeviceID(row.text(2)), 2), name: row.text(3),
        type: try row.valid(DeviceType(rawValue: UInt8(clamping: row.integer(1))), 1)),
      status: try status(in: row), stateOfCharge: try percent(in: row, 8),
      batteryEnergy: try row.valid(Energy(milliwattHours: row.integer(11)), 11),
      estimatedRangeMeters: row.optionalDouble(13), chargingTarget: try target(in: row),
      sessionID: try row.optionalUUID(4))
  }

  private static func status(in row: Statement) throws(StoreError) -> ElectricVehicleStatusEvent.Status {
    let reason = try row.valid(Int32(exactly: row.integer(16)), 16)
    return switch try row.valid(StatusCode(rawValue: row.integer(15)), 15) {
    case .chargerPluggedIn: .chargerPluggedIn
    case .chargingActive: .chargingActive(reason: reason)
    case .chargingIdle: .chargingIdle(reason: reason)
    case .chargerUnplugged: .chargerUnplugged
    }
  }

  private static func target(in row: Statement) throws(StoreError) -> ChargingTarget? {
    guard !row.isNull(17) else { return nil }
    return ChargingTarget(
      stateOfCharge: try percent(in: row, 17), estimatedCompletionTime: row.optionalTimestamp(18),
      scheduledStartTime: row.optionalTimestamp(19), estimatedRangeAtTargetMeters: row.optionalDouble(20))
  }

  private static func percent(in row: Statement, _ column: CInt) throws(StoreError) -> Percent {
    try row.valid(Percent(Int32(clamping: row.integer(column))), column)
  }
}
