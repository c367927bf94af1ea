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

/// Where an event stands in the lists of its submission. Not its place in the request: malformed events have none here.
package enum EventOffset: Hashable, Sendable {
  /// An index of `EventSubmission.loadEvents`.
  case load(Int)
  /// An index of `EventSubmission.statusEvents`.
  case vehicleStatus(Int)
}

extension EventSubmission {
  package func event(at offset: EventOffset) -> SubmittedEvent {
    switch offset {
    case .load(let index): .load(loadEvents[index].event)
    case .vehicleStatus(let index): .vehicleStatus(statusEvents[index].event)
    }
  }

  package func position(at offset: EventOffset) -> EventPosition {
    switch offset {
    case .load(let index): .loadEvent(loadEvents[index].index)
    case .vehicleStatus(let index): .vehicleStatusEvent(statusEvents[index].index)
    }
  }

  package func identity(at offset: EventOffset) -> EventIdentity {
    let (id, timestamp) =
      switch offset {
      case .load(let index): (loadEvents[index].event.id, loadEvents[index].event.timestamp)
      case .vehicleStatus(let index): (statusEvents[index].event.id, statusEvents[index].event.timestamp)
      }
    return EventIdentity(clientID: clientID, venueID: venueID, id: id, timestamp: timestamp)
  }
}

/// What makes an event the same event (docs/architecture.md, Load events): whose it is, its id, its time.
package struct EventIdentity: Hashable, Sendable {
  package let clientID: UUID
  package let venueID: UUID
  package let id: UUID
  package let timestamp: Timestamp

  package init(clientID: UUID, venueID: UUID, id: UUID, timestamp: Timestamp) {
    self.clientID = clientID
    self.venueID = venueID
    self.id = id
    self.timestamp = timestamp
  }
}
