package import FoundationEssentials

/// Why a vehicle charges or waits (Apple: `ElectricVehicleStatusEvent`). Feeds the activity log, not the energy totals.
package struct ElectricVehicleStatusEvent: Hashable, Sendable {
  package let id: UUID
  package let timestamp: Timestamp
  package let device: ElectricalLoadDevice
  package let status: Status
  package let stateOfCharge: Percent
  /// Held in the battery, not the session's energy.
  package let batteryEnergy: Energy
  package let estimatedRangeMeters: Double?
  package let chargingTarget: ChargingTarget?
  /// The running load session; `nil` where none runs.
  package let sessionID: UUID?

  package init(
    id: UUID, timestamp: Timestamp, device: ElectricalLoadDevice, status: Status, stateOfCharge: Percent,
    batteryEnergy: Energy, estimatedRangeMeters: Double?, chargingTarget: ChargingTarget?, sessionID: UUID?
  ) {
    self.id = id
    self.timestamp = timestamp
    self.device = device
    self.status = status
    self.stateOfCharge = stateOfCharge
    self.batteryEnergy = batteryEnergy
    self.estimatedRangeMeters = estimatedRangeMeters
    self.chargingTarget = chargingTarget
    self.sessionID = sessionID
  }

  package enum Status: Hashable, Sendable {
    case chargerPluggedIn
    /// The number of `ActiveReason`, stored and returned as sent, also where this server does not know it.
    case chargingActive(reason: Int32)
    /// The number of `IdleReason`, likewise.
    case chargingIdle(reason: Int32)
    case chargerUnplugged
  }
}

/// Apple: `ElectricVehicleStatusEvent.ChargingTarget`.
package struct ChargingTarget: Hashable, Sendable {
  package let stateOfCharge: Percent
  package let estimatedCompletionTime: Timestamp?
  package let scheduledStartTime: Timestamp?
  package let estimatedRangeAtTargetMeters: Double?

  package init(
    stateOfCharge: Percent, estimatedCompletionTime: Timestamp?, scheduledStartTime: Timestamp?,
    estimatedRangeAtTargetMeters: Double?
  ) {
    self.stateOfCharge = stateOfCharge
    self.estimatedCompletionTime = estimatedCompletionTime
    self.scheduledStartTime = scheduledStartTime
    self.estimatedRangeAtTargetMeters = estimatedRangeAtTargetMeters
  }
}
