import EnergyModel
import FoundationEssentials
import Storage

/// Binds events to `EventRow.insertion`. Ids and texts are laid out in one buffer that SQLite reads in place: this is
/// the hot path, and letting it copy each of them costs an allocation each.
struct EventParameters: ~Copyable {
  private let bytes: UnsafeMutableRawBufferPointer
  private var used = 0

  init() {
    // Five ids, a device id of 64 bytes, and a name of 250 UTF-16 units, at most 3 bytes each: 894 bytes.
    bytes = .allocate(byteCount: 1_024, alignment: 16)
  }

  deinit { bytes.deallocate() }

  /// The statement must have run before this is called again.
  mutating func bind(
    _ event: SubmittedEvent, of submission: EventSubmission, sequence: Int64, to row: Statement
  ) throws(StoreError) {
    used = 0
    try row.bind(sequence, at: 1)
    try row.bind(event.timestamp, at: 2)
    try bind(event.id, at: 3, of: row)
    try bind(submission.venueID, at: 4, of: row)
    try bind(submission.clientID, at: 5, of: row)
    switch event {
    case .load(let event): try bind(event, to: row)
    case .vehicleStatus(let event): try bind(event, to: row)
    }
    try row.bind(submission.receivedAt, at: 27)
  }

  private mutating func bind(_ event: LoadEvent, to row: Statement) throws(StoreError) {
    try row.bind(EventRow.Kind.load.rawValue, at: 6)
    try row.bind(Int64(event.measurement.deviceType.rawValue), at: 7)
    try bind(event.device.id.text, at: 8, of: row)
    try bind(event.device.name, at: 9, of: row)
    try bind(event.sessionID, at: 10, of: row)
    try row.bind(Int64(event.sessionState.rawValue), at: 11)
    try row.bind(event.wasFollowingGuidance, at: 12)
    try bind(event.guidanceToken, at: 13, of: row)
    switch event.measurement {
    case .electricVehicle(let measurement): try bind(measurement, to: row)
    case .hvac(let measurement):
      try row.bind(Int64(measurement.stage.value), at: 14)
      for place in 15...20 as ClosedRange<CInt> { try row.bindNull(at: place) }
    }
    for place in 21...26 as ClosedRange<CInt> { try row.bindNull(at: place) }
  }

  private func bind(_ measurement: ElectricVehicleMeasurement, to row: Statement) throws(StoreError) {
    try row.bind(Int64(measurement.stateOfCharge.value), at: 14)
    try row.bind(Int64(measurement.direction.rawValue), at: 15)
    try row.bind(measurement.power.milliwatts, at: 16)
    try row.bind(measurement.energy.milliwattHours, at: 17)
    try row.bind(measurement.performance != nil, at: 18)
    try row.bind(measurement.performance?.estimatedRangeMeters, at: 19)
    try row.bind(measurement.performance?.batteryTemperatureCelsius, at: 20)
  }

  private mutating func bind(_ event: ElectricVehicleStatusEvent, to row: Statement) throws(StoreError) {
    try row.bind(EventRow.Kind.vehicleStatus.rawValue, at: 6)
    try row.bind(Int64(event.device.type.rawValue), at: 7)
    try bind(event.device.id.text, at: 8, of: row)
    try bind(event.device.name, at: 9, of: row)
    if let session = event.sessionID { try bind(session, at: 10, of: row) } else { try row.bindNull(at: 10) }
    for place in [11, 12, 13, 15, 16, 18, 20] as [CInt] { try row.bindNull(at: place) }
    try row.bind(Int64(event.stateOfCharge.value), at: 14)
    try row.bind(event.batteryEnergy.milliwattHours, at: 17)
    try row.bind(event.estimatedRangeMeters, at: 19)
    try bind(event.status, to: row)
    try bind(event.chargingTarget, to: row)
  }

  private func bind(_ status: ElectricVehicleStatusEvent.Status, to row: Statement) throws(StoreError) {
    let (code, reason): (EventRow.StatusCode, Int32?) =
      switch status {
      case .chargerPluggedIn: (.chargerPluggedIn, nil)
      case .chargingActive(let reason): (.chargingActive, reason)
      case .chargingIdle(let reason): (.chargingIdle, reason)
      case .chargerUnplugged: (.chargerUnplugged, nil)
      }
    try row.bind(code.rawValue, at: 21)
    if let reason { try row.bind(Int64(reason), at: 22) } else { try row.bindNull(at: 22) }
  }

  private func bind(_ target: ChargingTarget?, to row: Statement) throws(StoreError) {
    guard let target else {
      for place in 23...26 as ClosedRange<CInt> { try row.bindNull(at: place) }
      return
    }
    try row.bind(Int64(target.stateOfCharge.value), at: 23)
    try row.bind(target.estimatedCompletionTime, at: 24)
    try row.bind(target.scheduledStartTime, at: 25)
    try row.bind(target.estimatedRangeAtTargetMeters, at: 26)
  }

  // MARK: Laying out

  private mutating func bind(_ id: UUID, at place: CInt, of row: Statement) throws(StoreError) {
    let span = withUnsafeBytes(of: id) { append($0) }
    guard let span else { throw .tooLong }
    try row.bindUncopied(blob: span, at: place)
  }

  private mutating func bind(_ text: String?, at place: CInt, of row: Statement) throws(StoreError) {
    guard var text else { return try row.bindNull(at: place) }
    let span = text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    guard let span else { throw .tooLong }
    try row.bindUncopied(text: span, at: place)
  }

  /// `nil` where there is no room.
  private mutating func append(_ source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard source.count <= bytes.count - used else { return nil }
    let target = UnsafeMutableRawBufferPointer(rebasing: bytes[used..<used + source.count])
    target.copyMemory(from: source)
    used += source.count
    return UnsafeRawBufferPointer(target)
  }
}

extension StoreError {
  fileprivate static let tooLong = StoreError.failed(
    operation: "insert event", reason: "its texts are longer than the model allows")
}
