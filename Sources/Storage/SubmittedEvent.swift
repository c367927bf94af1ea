package import EnergyModel
package import FoundationEssentials

/// An event of either kind: they share one id space (docs/architecture.md, Load events).
package enum SubmittedEvent: Hashable, Sendable {
  case load(LoadEvent)
  case vehicleStatus(ElectricVehicleStatusEvent)

  package var id: UUID {
    switch self {
    case .load(let event): event.id
    case .vehicleStatus(let event): event.id
    }
  }

  package var timestamp: Timestamp {
    switch self {
    case .load(let event): event.timestamp
    case .vehicleStatus(let event): event.timestamp
    }
  }
}

/// What makes an event the same event (docs/architecture.md, Load events): whose it is, its id, its time.
package struct EventIdentity: Hashable, Sendable {
  package let clientID: UUID
  package let venueID: UUID
  package let id: UUID
  package let timestamp: Timestamp

  package init(_ event: SubmittedEvent, of submission: EventSubmission) {
    self.clientID = submission.clientID
    self.venueID = submission.venueID
    self.id = event.id
    self.timestamp = event.timestamp
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(id.high)
    hasher.combine(id.low)
    hasher.combine(timestamp.milliseconds)
    hasher.combine(venueID.high)
    hasher.combine(venueID.low)
    hasher.combine(clientID.high)
    hasher.combine(clientID.low)
  }
}
