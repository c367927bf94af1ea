internal import CEnergyProto
internal import EnergyModel
internal import FoundationEssentials
internal import ProtobufWire

/// Makes events of the model from unpacked ones and notes every fault of their shape (docs/api.md, Errors).
///
/// A fault ends nothing: the other fields are read all the same, so that one answer names everything.
struct EventReader {
  var faults: FaultList
  private(set) var zeroedEventCount = 0
  /// Those that had a fault, in the order of the message.
  private(set) var malformedEvents: [MalformedEvent] = []
  /// Sessions with a begin that had a fault.
  private(set) var refusedSessionIDs: Set<UUID> = []
  private let rules: SessionRules
  /// Whether the event at hand had something replaced by zero.
  private var hasZeroed = false
  private var sessionIDs = UUIDMemory()
  private var tokens = UUIDMemory()
  private var identities = DeviceMemory<DeviceIdentity>()
  private var vehicles = DeviceMemory<ElectricalLoadDevice>()

  init(faults: FaultList, rules: SessionRules) {
    self.faults = faults
    self.rules = rules
  }

  /// Returns `nil` where the event has a fault. Throws `unparsable` where a string is not UTF-8.
  mutating func loadEvent(
    _ raw: UnsafeMutablePointer<Energykit__V1__LoadEvent>, at position: EventPosition, _ arena: DecodeArena
  ) throws(WireError) -> LoadEvent? {
    let before = faults.count
    hasZeroed = false
    let id = try uuid(arena.bytes(of: raw.pointee.id), "id", position, arena)
    let timestamp = timestamp(raw.pointee.timestamp, "timestamp", position)
    let sessionID = try sessionID(arena.bytes(of: raw.pointee.session_id), position, arena)
    let state = sessionState(raw.pointee.session_state, position)
    let token = try guidanceToken(arena.bytes(of: raw.pointee.guidance_token), position, arena)
    let device = try identity(raw, position, arena)
    let measurement = measurement(raw, state, position)
    checkType(of: raw, position)
    guard faults.count == before, let id, let timestamp, let sessionID, let state, let token, let device,
      let measurement
    else {
      if state == .begin, let sessionID { refusedSessionIDs.insert(sessionID) }
      malformedEvents.append(MalformedEvent(position: position, timestamp: timestamp, guidanceToken: token))
      return nil
    }
    if hasZeroed { zeroedEventCount += 1 }
    return LoadEvent(
      id: id, timestamp: timestamp, sessionID: sessionID, sessionState: state,
      wasFollowingGuidance: raw.pointee.was_following_guidance != 0, guidanceToken: token, device: device,
      measurement: measurement)
  }

  /// Returns `nil` where the event has a fault. Throws `unparsable` where a string is not UTF-8.
  mutating func statusEvent(
    _ raw: UnsafeMutablePointer<Energykit__V1__ElectricVehicleStatusEvent>, at position: EventPosition,
    _ arena: DecodeArena
  ) throws(WireError) -> ElectricVehicleStatusEvent? {
    let before = faults.count
    let id = try uuid(arena.bytes(of: raw.pointee.id), "id", position, arena)
    let timestamp = timestamp(raw.pointee.timestamp, "timestamp", position)
    let device = try vehicle(raw.pointee.device, position, arena)
    let status = status(raw, position)
    let charge = percent(raw.pointee.state_of_charge_percent, "state_of_charge_percent", position)
    let energy = energy(raw.pointee.battery_energy_milliwatt_hours, "battery_energy_milliwatt_hours", position)
    let range = number(raw.pointee.estimated_range_meters, "estimated_range_meters", position)
    let target = chargingTarget(raw.pointee.charging_target, position)
    let sessionBytes = arena.bytes(of: raw.pointee.session_id)
    let sessionID = sessionBytes.isEmpty ? nil : try sessionID(sessionBytes, position, arena)
    guard faults.count == before, let id, let timestamp, let device, let status, let charge, let energy else {
      malformedEvents.append(MalformedEvent(position: position, timestamp: timestamp, guidanceToken: nil))
      return nil
    }
    return ElectricVehicleStatusEvent(
      id: id, timestamp: timestamp, device: device, status: status, stateOfCharge: charge, batteryEnergy: energy,
      estimatedRangeMeters: range, chargingTarget: target, sessionID: sessionID)
  }
}

// MARK: Ids, times, numbers

extension EventReader {
  private mutating func uuid(
    _ bytes: UnsafeRawBufferPointer, _ field: String, _ position: EventPosition, _ arena: DecodeArena
  ) throws(WireError) -> UUID? {
    if let uuid = UUID(text: bytes) { return uuid }
    try arena.requireUTF8(bytes)
    faults.add(.malformed, position, field, bytes.isEmpty ? "a UUID is needed" : "is not a UUID")
    return nil
  }

  private mutating func sessionID(
    _ bytes: UnsafeRawBufferPointer, _ position: EventPosition, _ arena: DecodeArena
  ) throws(WireError) -> UUID? {
    if let id = sessionIDs.uuid(bytes) { return id }
    return try uuid(bytes, "session_id", position, arena)
  }

  /// What is no UUID was not issued as a token.
  private mutating func guidanceToken(
    _ bytes: UnsafeRawBufferPointer, _ position: EventPosition, _ arena: DecodeArena
  ) throws(WireError) -> UUID? {
    if let token = tokens.uuid(bytes) { return token }
    try arena.requireUTF8(bytes)
    faults.add(
      .unknownGuidanceToken, position, "guidance_token",
      bytes.isEmpty ? "a guidance token is needed, also where guidance was not followed" : "is not a guidance token")
    return nil
  }

  private mutating func timestamp(
    _ raw: UnsafeMutablePointer<Google__Protobuf__Timestamp>?, _ field: String, _ position: EventPosition
  ) -> Timestamp? {
    if let timestamp = Timestamp(raw) { return timestamp }
    faults.add(
      .malformed, position, field, raw == nil ? "a time is needed" : "is not a time between the years 1 and 9999")
    return nil
  }

  /// The same, `nil` without a fault where there is none.
  private mutating func optionalTimestamp(
    _ raw: UnsafeMutablePointer<Google__Protobuf__Timestamp>?, _ field: String, _ position: EventPosition
  ) -> Timestamp? {
    raw == nil ? nil : timestamp(raw, field, position)
  }

  private mutating func percent(_ raw: Int32, _ field: String, _ position: EventPosition) -> Percent? {
    if let percent = Percent(raw) { return percent }
    faults.add(.outOfRange, position, field, "must be 0 to 100")
    return nil
  }

  private mutating func power(_ raw: Int64, _ field: String, _ position: EventPosition) -> Power? {
    if let power = Power(milliwatts: raw) { return power }
    faults.add(.outOfRange, position, field, "must be at least 0 and below 10^12 mW")
    return nil
  }

  private mutating func energy(_ raw: Int64, _ field: String, _ position: EventPosition) -> Energy? {
    if let energy = Energy(milliwattHours: raw) { return energy }
    faults.add(.outOfRange, position, field, "must be at least 0 and below 10^15 mWh")
    return nil
  }

  private mutating func number(
    _ raw: UnsafeMutablePointer<Google__Protobuf__DoubleValue>?, _ field: String, _ position: EventPosition
  ) -> Double? {
    guard let raw else { return nil }
    if raw.pointee.value.isFinite { return raw.pointee.value }
    faults.add(.outOfRange, position, field, "must be a finite number")
    return nil
  }

  private mutating func sessionState(
    _ raw: Energykit__V1__SessionState, _ position: EventPosition
  ) -> SessionState? {
    if let state = UInt8(exactly: raw.rawValue).flatMap(SessionState.init(rawValue:)) { return state }
    faults.add(.malformed, position, "session_state", "must be BEGIN, ACTIVE or END")
    return nil
  }
}

// MARK: Devices

extension EventReader {
  private mutating func identity(
    _ raw: UnsafeMutablePointer<Energykit__V1__LoadEvent>, _ position: EventPosition, _ arena: DecodeArena
  ) throws(WireError) -> DeviceIdentity? {
    switch raw.pointee.identity_case {
    case ENERGYKIT__V1__LOAD_EVENT__IDENTITY_DEVICE_ID:
      let id = arena.bytes(of: raw.pointee.device_id)
      if let known = identities.device(id: id, name: nil) { return known }
      guard let deviceID = try deviceID(id, "device_id", position, arena) else { return nil }
      return identities.remember(DeviceIdentity(id: deviceID, name: nil))
    case ENERGYKIT__V1__LOAD_EVENT__IDENTITY_DEVICE:
      guard let device = raw.pointee.device else { return nil }
      let (id, name) = (arena.bytes(of: device.pointee.id), arena.bytes(of: device.pointee.name))
      if let known = identities.device(id: id, name: name) { return known }
      let nameText = try arena.text(of: device.pointee.name)
      guard let deviceID = try deviceID(id, "device.id", position, arena) else { return nil }
      return identities.remember(DeviceIdentity(id: deviceID, name: nameText))
    default:
      faults.add(.malformed, position, "identity", "device_id or device is needed")
      return nil
    }
  }

  private mutating func vehicle(
    _ raw: UnsafeMutablePointer<Energykit__V1__ElectricalLoadDevice>?, _ position: EventPosition,
    _ arena: DecodeArena
  ) throws(WireError) -> ElectricalLoadDevice? {
    guard let raw else {
      faults.add(.malformed, position, "device", "a device is needed")
      return nil
    }
    if let type = deviceType(raw, position), type != .electricVehicle {
      faults.add(.invalidDevice, position, "device.type", "must be ELECTRIC_VEHICLE")
    }
    let (id, name) = (arena.bytes(of: raw.pointee.id), arena.bytes(of: raw.pointee.name))
    if let known = vehicles.device(id: id, name: name) { return known }
    let nameText = try arena.text(of: raw.pointee.name)
    guard let deviceID = try deviceID(id, "device.id", position, arena) else { return nil }
    return vehicles.remember(ElectricalLoadDevice(id: deviceID, name: nameText, type: .electricVehicle))
  }

  private mutating func deviceID(
    _ bytes: UnsafeRawBufferPointer, _ field: String, _ position: EventPosition, _ arena: DecodeArena
  ) throws(WireError) -> DeviceID? {
    if let id = DeviceID(bytes) { return id }
    try arena.requireUTF8(bytes)
    faults.add(
      .invalidDevice, position, field,
      "must be 1 to 64 ASCII letters, digits, spaces, hyphens or apostrophes, a letter or digit first and last")
    return nil
  }

  private mutating func deviceType(
    _ raw: UnsafeMutablePointer<Energykit__V1__ElectricalLoadDevice>, _ position: EventPosition
  ) -> DeviceType? {
    if let type = UInt8(exactly: raw.pointee.type.rawValue).flatMap(DeviceType.init(rawValue:)) { return type }
    faults.add(.malformed, position, "device.type", "must be ELECTRIC_VEHICLE or HVAC")
    return nil
  }
}

// MARK: Measurements

extension EventReader {
  private mutating func measurement(
    _ raw: UnsafeMutablePointer<Energykit__V1__LoadEvent>, _ state: SessionState?, _ position: EventPosition
  ) -> LoadEvent.Measurement? {
    switch raw.pointee.measurement_case {
    case ENERGYKIT__V1__LOAD_EVENT__MEASUREMENT_ELECTRIC_VEHICLE:
      guard let raw = raw.pointee.electric_vehicle else { return nil }
      return electricVehicle(raw, state, position).map(LoadEvent.Measurement.electricVehicle)
    case ENERGYKIT__V1__LOAD_EVENT__MEASUREMENT_HVAC:
      guard let raw = raw.pointee.hvac else { return nil }
      return stage(raw.pointee.stage_percent, state, position).map { .hvac(HVACMeasurement(stage: $0)) }
    default:
      faults.add(.malformed, position, "measurement", "electric_vehicle or hvac is needed")
      return nil
    }
  }

  /// An event that names its device by id alone says no type. What the measurement's own faults are does not matter here.
  private mutating func checkType(
    of raw: UnsafeMutablePointer<Energykit__V1__LoadEvent>, _ position: EventPosition
  ) {
    guard raw.pointee.identity_case == ENERGYKIT__V1__LOAD_EVENT__IDENTITY_DEVICE, let device = raw.pointee.device,
      let type = deviceType(device, position)
    else { return }
    let measured: DeviceType? =
      switch raw.pointee.measurement_case {
      case ENERGYKIT__V1__LOAD_EVENT__MEASUREMENT_ELECTRIC_VEHICLE: .electricVehicle
      case ENERGYKIT__V1__LOAD_EVENT__MEASUREMENT_HVAC: .hvac
      default: nil
      }
    guard let measured, type != measured else { return }
    faults.add(.invalidDevice, position, "device.type", "does not fit the measurement")
  }

  private mutating func electricVehicle(
    _ raw: UnsafeMutablePointer<Energykit__V1__ElectricVehicleMeasurement>, _ state: SessionState?,
    _ position: EventPosition
  ) -> ElectricVehicleMeasurement? {
    let charge = percent(
      raw.pointee.state_of_charge_percent, "electric_vehicle.state_of_charge_percent", position)
    let direction = direction(raw.pointee.direction, position)
    let power = power(raw.pointee.power_milliwatts, "electric_vehicle.power_milliwatts", position).map {
      mustBeZero($0 == .zero, zeroReason(state), "electric_vehicle.power_milliwatts", position) ? .zero : $0
    }
    let energy = energy(raw.pointee.energy_milliwatt_hours, "electric_vehicle.energy_milliwatt_hours", position)
      .map {
        mustBeZero($0 == .zero, energyZeroReason(state), "electric_vehicle.energy_milliwatt_hours", position)
          ? .zero : $0
      }
    let performance = performance(raw.pointee.performance_metrics, position)
    guard let charge, let direction, let power, let energy else { return nil }
    return ElectricVehicleMeasurement(
      stateOfCharge: charge, direction: direction, power: power, energy: energy, performance: performance)
  }

  private mutating func direction(
    _ raw: Energykit__V1__ElectricityFlowDirection, _ position: EventPosition
  ) -> ElectricityFlowDirection? {
    if let direction = UInt8(exactly: raw.rawValue).flatMap(ElectricityFlowDirection.init(rawValue:)) {
      return direction
    }
    faults.add(.malformed, position, "electric_vehicle.direction", "must be IMPORTED or EXPORTED")
    return nil
  }

  private mutating func performance(
    _ raw: UnsafeMutablePointer<Energykit__V1__VehiclePerformanceMetrics>?, _ position: EventPosition
  ) -> VehiclePerformance? {
    guard let raw else { return nil }
    return VehiclePerformance(
      estimatedRangeMeters: number(
        raw.pointee.estimated_range_meters, "electric_vehicle.performance_metrics.estimated_range_meters", position),
      batteryTemperatureCelsius: number(
        raw.pointee.battery_temperature_celsius,
        "electric_vehicle.performance_metrics.battery_temperature_celsius", position))
  }

  private mutating func stage(_ raw: Int32, _ state: SessionState?, _ position: EventPosition) -> Percent? {
    percent(raw, "hvac.stage_percent", position).map {
      mustBeZero($0 == .zero, zeroReason(state), "hvac.stage_percent", position) ? .zero : $0
    }
  }

  /// The fault of power or stage that is not zero in an event of this state.
  private func zeroReason(_ state: SessionState?) -> LoadEventFault.Reason? {
    switch state {
    case .begin: .nonzeroAtBegin
    case .end: .nonzeroAtEnd
    case .active, nil: nil
    }
  }

  /// The fault of energy that is not zero, since it counts from the begin.
  private func energyZeroReason(_ state: SessionState?) -> LoadEventFault.Reason? {
    switch state {
    case .begin: .nonzeroAtBegin
    case .active, .end, nil: nil
    }
  }

  /// Whether zero is to be stored in the place of a value, `reason` being why it should be zero.
  private mutating func mustBeZero(
    _ isZero: Bool, _ reason: LoadEventFault.Reason?, _ field: String, _ position: EventPosition
  ) -> Bool {
    guard let reason, !isZero else { return false }
    switch rules {
    case .strict:
      faults.add(
        reason, position, field,
        reason == .nonzeroAtBegin ? "must be 0 where a session begins" : "must be 0 where a session ends")
      return false
    case .lenient:
      hasZeroed = true
      return true
    }
  }
}

// MARK: Status

extension EventReader {
  private mutating func status(
    _ raw: UnsafeMutablePointer<Energykit__V1__ElectricVehicleStatusEvent>, _ position: EventPosition
  ) -> ElectricVehicleStatusEvent.Status? {
    switch raw.pointee.status_case {
    case ENERGYKIT__V1__ELECTRIC_VEHICLE_STATUS_EVENT__STATUS_CHARGER_PLUGGED_IN: return .chargerPluggedIn
    case ENERGYKIT__V1__ELECTRIC_VEHICLE_STATUS_EVENT__STATUS_CHARGING_ACTIVE:
      return .chargingActive(reason: Int32(truncatingIfNeeded: raw.pointee.charging_active.rawValue))
    case ENERGYKIT__V1__ELECTRIC_VEHICLE_STATUS_EVENT__STATUS_CHARGING_IDLE:
      return .chargingIdle(reason: Int32(truncatingIfNeeded: raw.pointee.charging_idle.rawValue))
    case ENERGYKIT__V1__ELECTRIC_VEHICLE_STATUS_EVENT__STATUS_CHARGER_UNPLUGGED: return .chargerUnplugged
    default:
      faults.add(
        .malformed, position, "status",
        "charger_plugged_in, charging_active, charging_idle or charger_unplugged is needed")
      return nil
    }
  }

  private mutating func chargingTarget(
    _ raw: UnsafeMutablePointer<Energykit__V1__ChargingTarget>?, _ position: EventPosition
  ) -> ChargingTarget? {
    guard let raw else { return nil }
    let charge = percent(
      raw.pointee.state_of_charge_percent, "charging_target.state_of_charge_percent", position)
    let completion = optionalTimestamp(
      raw.pointee.estimated_completion_time, "charging_target.estimated_completion_time", position)
    let start = optionalTimestamp(
      raw.pointee.scheduled_start_time, "charging_target.scheduled_start_time", position)
    let range = number(
      raw.pointee.estimated_range_at_target_meters, "charging_target.estimated_range_at_target_meters", position)
    guard let charge else { return nil }
    return ChargingTarget(
      stateOfCharge: charge, estimatedCompletionTime: completion, scheduledStartTime: start,
      estimatedRangeAtTargetMeters: range)
  }
}
