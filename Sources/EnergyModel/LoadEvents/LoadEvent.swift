package import FoundationEssentials

/// Which way electricity moves, seen from the home (Apple: `ElectricityFlowDirection`).
package enum ElectricityFlowDirection: UInt8, Hashable, Sendable {
  /// Grid to home: consumption.
  case imported = 1
  /// Home to grid: production.
  case exported = 2
}

/// Where in its session an event stands (Apple: `ElectricVehicleLoadEvent.Session.State`).
package enum SessionState: UInt8, Hashable, Sendable {
  case begin = 1
  case active = 2
  case end = 3
}

/// What an EV charger or an HVAC system used, at one moment of a session (Apple: `ElectricVehicleLoadEvent`).
package struct LoadEvent: Hashable, Sendable {
  package let id: UUID
  package let timestamp: Timestamp
  package let sessionID: UUID
  package let sessionState: SessionState
  /// From this event to the next.
  package let wasFollowingGuidance: Bool
  package let guidanceToken: UUID
  package let device: DeviceIdentity
  package let measurement: Measurement

  package init(
    id: UUID, timestamp: Timestamp, sessionID: UUID, sessionState: SessionState, wasFollowingGuidance: Bool,
    guidanceToken: UUID, device: DeviceIdentity, measurement: Measurement
  ) {
    self.id = id
    self.timestamp = timestamp
    self.sessionID = sessionID
    self.sessionState = sessionState
    self.wasFollowingGuidance = wasFollowingGuidance
    self.guidanceToken = guidanceToken
    self.device = device
    self.measurement = measurement
  }

  package enum Measurement: Hashable, Sendable {
    case electricVehicle(ElectricVehicleMeasurement)
    case hvac(HVACMeasurement)

    package var deviceType: DeviceType {
      switch self {
      case .electricVehicle: .electricVehicle
      case .hvac: .hvac
      }
    }
  }
}

/// How an event names its device: by id alone (EnergyKit 26) or with name and type (EnergyKit 27).
package struct DeviceIdentity: Hashable, Sendable {
  package let id: DeviceID
  /// `nil` where the caller sent the id alone.
  package let name: String?

  package init(id: DeviceID, name: String?) {
    self.id = id
    self.name = name.map { DeviceName.sanitised($0, fallback: id.text) }
  }
}

package struct ElectricVehicleMeasurement: Hashable, Sendable {
  package let stateOfCharge: Percent
  package let direction: ElectricityFlowDirection
  package let power: Power
  /// Since the session's `begin`, never falling.
  package let energy: Energy
  package let performance: VehiclePerformance?

  package init(
    stateOfCharge: Percent, direction: ElectricityFlowDirection, power: Power, energy: Energy,
    performance: VehiclePerformance?
  ) {
    self.stateOfCharge = stateOfCharge
    self.direction = direction
    self.power = power
    self.energy = energy
    self.performance = performance
  }
}

/// Apple: `ElectricalMeasurement.PerformanceMetrics`. Each value is finite where it is given.
package struct VehiclePerformance: Hashable, Sendable {
  package let estimatedRangeMeters: Double?
  package let batteryTemperatureCelsius: Double?

  package init(estimatedRangeMeters: Double?, batteryTemperatureCelsius: Double?) {
    self.estimatedRangeMeters = estimatedRangeMeters
    self.batteryTemperatureCelsius = batteryTemperatureCelsius
  }
}

package struct HVACMeasurement: Hashable, Sendable {
  /// Share of full power, not the stage's ordinal (Apple: `ElectricHVACLoadEvent`).
  package let stage: Percent

  package init(stage: Percent) {
    self.stage = stage
  }
}
