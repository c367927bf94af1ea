/// What EnergyKit's calls can fail with (Apple: `EnergyKitError`), case for case.
///
/// The cases are the contract; `EnergyWire` maps each to a gRPC code and to the reason in `ErrorInfo` (docs/api.md,
/// Errors).
package enum EnergyKitError: Error, Hashable, Sendable {
  /// No guidance for that region at this time. Retry after `retryAfterSeconds`.
  case guidanceUnavailable(retryAfterSeconds: Int)
  /// Another request of the same kind is running; one at a time.
  case inProgress
  /// At least one load event of the batch breaks a rule. The faults name each event and field.
  case invalidLoadEvent(InvalidLoadEvents)
  /// The home has switched location services off.
  case locationServicesDenied
  /// The person declined, or the client lacks an entitlement.
  case permissionDenied(PermissionSubject)
  /// Too many calls or events. Waiting `retryAfterSeconds` succeeds if nothing else is sent.
  case rateLimitExceeded(retryAfterSeconds: Int)
  /// The service cannot answer now.
  case serviceUnavailable(retryAfterSeconds: Int)
  /// The venue lies outside the contiguous United States. `region` is its grid region code, empty where it has none.
  case unsupportedRegion(region: String)
  /// Absent or not accessible: the two are not told apart.
  case venueUnavailable

  /// What a permission is missing for.
  package enum PermissionSubject: Hashable, Sendable {
    case entitlement(Entitlement)
    case venue
  }
}

/// The faults of a refused batch.
package struct InvalidLoadEvents: Hashable, Sendable {
  /// As many as were kept, in the order of the request.
  package let faults: [LoadEventFault]
  /// How many there are in all, at least `faults.count`.
  package let faultCount: Int
  /// The server's clock when it judged, for callers whose own is off.
  package let serverTime: Timestamp
  /// Whether a time is at fault, be it in one of the faults that were not kept.
  package let concernsTime: Bool

  /// - Parameter concernsTime: `nil`: as `faults` say.
  package init(faults: [LoadEventFault], faultCount: Int, serverTime: Timestamp, concernsTime: Bool? = nil) {
    self.faults = faults
    self.faultCount = faultCount
    self.serverTime = serverTime
    self.concernsTime = concernsTime ?? faults.contains { $0.reason == .timestampOutOfRange }
  }
}

/// A request that breaks the contract of its message before any rule of EnergyKit applies (INVALID_REQUEST).
package struct InvalidRequest: Error, Hashable, Sendable {
  /// Path of the field in the request, for example `venue_id`.
  package let field: String
  /// For a person: what was expected.
  package let description: String

  package init(field: String, description: String) {
    self.field = field
    self.description = description
  }
}
