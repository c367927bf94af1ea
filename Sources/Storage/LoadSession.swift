package import EnergyModel
package import FoundationEssentials

/// Whose ids, devices and sessions are their own: one client at one venue.
package struct EventOwner: Hashable, Sendable {
  package let clientID: UUID
  package let venueID: UUID

  package init(clientID: UUID, venueID: UUID) {
    self.clientID = clientID
    self.venueID = venueID
  }
}

/// What the rules of sessions need to know of one: where it stands after the events accepted so far.
package struct LoadSession: Hashable, Sendable {
  package let device: DeviceID
  package let flow: LoadFlow
  package let beginTime: Timestamp
  /// Of its last event.
  package var lastTime: Timestamp
  /// At its last event; zero without a meter.
  package var lastEnergy: Energy
  /// Until its end came, or another session took its place.
  package var isOpen: Bool
  /// The store's own number for it; 0 until it has one.
  package var number: Int64

  package init(
    device: DeviceID, flow: LoadFlow, beginTime: Timestamp, lastTime: Timestamp, lastEnergy: Energy, isOpen: Bool,
    number: Int64 = 0
  ) {
    self.device = device
    self.flow = flow
    self.beginTime = beginTime
    self.lastTime = lastTime
    self.lastEnergy = lastEnergy
    self.isOpen = isOpen
    self.number = number
  }
}

/// What flows in a session, and which way: a session keeps it, and a device has one open session of each.
package enum LoadFlow: UInt8, Hashable, Sendable {
  case hvac = 0
  case vehicleImport = 1
  case vehicleExport = 2

  package init(_ measurement: LoadEvent.Measurement) {
    self =
      switch measurement {
      case .hvac: .hvac
      case .electricVehicle(let measurement): measurement.direction == .imported ? .vehicleImport : .vehicleExport
      }
  }
}

/// What a store has of an owner, as the rules need it at once; ended sessions are asked for one by one.
package struct StoredSessions: Sendable {
  package var open: [UUID: LoadSession]
  package var devices: Set<DeviceID>

  package init(open: [UUID: LoadSession] = [:], devices: Set<DeviceID> = []) {
    self.open = open
    self.devices = devices
  }
}
