/// One fault of one load event: where, which rule, and a sentence for a person (docs/api.md, Errors).
package struct LoadEventFault: Hashable, Sendable {
  /// The machine-readable reason; the raw value is what goes on the wire.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    case malformed = "MALFORMED"
    case invalidDevice = "INVALID_DEVICE"
    case timestampOutOfRange = "TIMESTAMP_OUT_OF_RANGE"
    case unknownGuidanceToken = "UNKNOWN_GUIDANCE_TOKEN"
    case outOfRange = "OUT_OF_RANGE"
    case nonzeroAtBegin = "NONZERO_AT_BEGIN"
    case nonzeroAtEnd = "NONZERO_AT_END"
    case sessionOutOfOrder = "SESSION_OUT_OF_ORDER"
    case notMonotonic = "NOT_MONOTONIC"
    case sessionMismatch = "SESSION_MISMATCH"
    case idReused = "ID_REUSED"
    case restricted = "RESTRICTED"

    /// Whether a repetition of an event that is already stored is a duplicate all the same: age and token are judged
    /// only for events that are new (a duplicate is found before the age, token and session rules).
    package var isForgivenToDuplicates: Bool {
      switch self {
      case .timestampOutOfRange, .unknownGuidanceToken, .sessionOutOfOrder, .notMonotonic, .sessionMismatch: true
      case .malformed, .invalidDevice, .outOfRange, .nonzeroAtBegin, .nonzeroAtEnd, .idReused, .restricted: false
      }
    }
  }

  /// Where in the request the faulty event stands; `nil` for the batch itself.
  package let position: EventPosition?
  /// The field within the event, or within the request where `position` is `nil`; for example `guidance_token`.
  package let field: String
  package let reason: Reason
  package let description: String

  package init(position: EventPosition?, field: String, reason: Reason, description: String) {
    self.position = position
    self.field = field
    self.reason = reason
    self.description = description
  }

  /// The path in the request, for example `load_events[3].guidance_token`.
  package var path: String {
    guard let position else { return field }
    return field.isEmpty ? position.path : "\(position.path).\(field)"
  }
}

/// Where an event stands in its request.
package enum EventPosition: Hashable, Sendable {
  case loadEvent(Int)
  case vehicleStatusEvent(Int)

  package var path: String {
    switch self {
    case .loadEvent(let index): "load_events[\(index)]"
    case .vehicleStatusEvent(let index): "vehicle_status_events[\(index)]"
    }
  }
}
