package import EnergyModel
package import FoundationEssentials

/// A random source that a seed repeats: a failing seed is the bug report. SplitMix64.
package struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  package mutating func uuid() -> UUID { UUID(high: next(), low: next()) }
}

/// Valid values to store; what a test is not about has a default.
package enum Sample {
  /// 2026-01-15T12:00:00Z.
  package static let noon = Timestamp(seconds: 1_768_478_400)

  package static func uuid(_ number: UInt64) -> UUID { UUID(high: 0x1000_0000_0000_4000, low: number) }

  package static let deviceID = device("charger-1")
  package static func device(_ text: String) -> DeviceID {
    guard let id = DeviceID(text) else { preconditionFailure("not a device id") }
    return id
  }

  package static func percent(_ value: Int32) -> Percent { Percent(value) ?? .zero }
  package static func power(_ milliwatts: Int64) -> Power { Power(milliwatts: milliwatts) ?? .zero }
  package static func energy(_ milliwattHours: Int64) -> Energy { Energy(milliwattHours: milliwattHours) ?? .zero }

  /// By default the begin of a session of its own.
  package static func vehicle(
    id: UUID, at timestamp: Timestamp = noon, energy: Int64 = 1_000, state: SessionState = .begin,
    session: UUID? = nil, device: String = "charger-1", name: String? = nil,
    direction: ElectricityFlowDirection = .imported, performance: VehiclePerformance? = nil
  ) -> LoadEvent {
    LoadEvent(
      id: id, timestamp: timestamp, sessionID: session ?? self.session(id, timestamp), sessionState: state,
      wasFollowingGuidance: true, guidanceToken: uuid(88), device: DeviceIdentity(id: self.device(device), name: name),
      measurement: .electricVehicle(
        ElectricVehicleMeasurement(
          stateOfCharge: percent(40), direction: direction, power: power(7_200_000), energy: self.energy(energy),
          performance: performance)))
  }

  /// By default the begin of a session of its own.
  package static func hvac(
    id: UUID, at timestamp: Timestamp = noon, stage: Int32 = 50, state: SessionState = .begin, session: UUID? = nil,
    device: String = "heat pump"
  ) -> LoadEvent {
    LoadEvent(
      id: id, timestamp: timestamp, sessionID: session ?? self.session(id, timestamp), sessionState: state,
      wasFollowingGuidance: false, guidanceToken: uuid(88),
      device: DeviceIdentity(id: self.device(device), name: "Heat pump"),
      measurement: .hvac(HVACMeasurement(stage: percent(stage))))
  }

  private static func session(_ id: UUID, _ timestamp: Timestamp) -> UUID {
    UUID(high: id.high ^ UInt64(bitPattern: timestamp.milliseconds), low: ~id.low)
  }

  package static func status(
    id: UUID, at timestamp: Timestamp = noon, _ status: ElectricVehicleStatusEvent.Status = .chargingIdle(reason: 7),
    range: Double? = 250_000.5, target: ChargingTarget? = nil, session: UUID? = nil
  ) -> ElectricVehicleStatusEvent {
    ElectricVehicleStatusEvent(
      id: id, timestamp: timestamp, device: ElectricalLoadDevice(id: deviceID, name: "Garage", type: .electricVehicle),
      status: status, stateOfCharge: percent(41), batteryEnergy: energy(30_000_000), estimatedRangeMeters: range,
      chargingTarget: target, sessionID: session)
  }

  package static func client(_ number: UInt64, name: String? = nil) -> Client {
    Client(
      id: uuid(number), name: name ?? "client \(number)", entitlements: [.energyKit], isDisabled: false,
      createTime: noon)
  }

  package static func venue(_ number: UInt64, name: String? = nil, homeID: UUID? = nil) -> EnergyVenue {
    EnergyVenue(
      id: uuid(number), name: name ?? "venue \(number)", homeID: homeID, timeZone: "America/Los_Angeles",
      gridRegion: "CISO", ratePlanID: "pge-ev2a", incorporatesRatePlan: true, isRegionSupported: true,
      isLocationServicesDenied: false, createTime: noon)
  }
}
