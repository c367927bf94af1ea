package import EnergyModel
package import FoundationEssentials
package import GRPC

extension Status {
  /// What the trailers of an error weigh at most, also where the client would take more (docs/architecture.md, Errors).
  package static let standardTrailerLimit = TrailerBudget.maximumByteCount

  /// The code and details of the table in docs/api.md, Errors.
  ///
  /// - Parameters:
  ///   - venueID: The venue that the call was about, where permission to it is missing.
  ///   - trailerLimit: Bytes of trailers that the client takes; above 7 KiB makes no difference.
  package init(_ error: EnergyKitError, venueID: UUID? = nil, trailerLimit: Int = standardTrailerLimit) {
    self = RichStatus(error, venueID: venueID).status(trailerLimit: trailerLimit)
  }

  /// INVALID_ARGUMENT with one violation.
  package init(_ request: InvalidRequest, trailerLimit: Int = standardTrailerLimit) {
    let reason = "INVALID_REQUEST"
    let rich = RichStatus(
      code: .invalidArgument, message: "\(request.field): \(request.description)", reason: reason,
      violations: [.init(field: request.field, description: request.description, reason: reason)])
    self = rich.status(trailerLimit: trailerLimit)
  }

  /// INTERNAL for what does not parse (G-060), RESOURCE_EXHAUSTED for what is too much to decode.
  package init(_ error: WireError, trailerLimit: Int = standardTrailerLimit) {
    switch error {
    case .unparsable: self.init(.internal, "the request is not a message of its type")
    case .tooComplex: self.init(.resourceExhausted, "the request has too many fields to be decoded")
    case .invalid(let request): self.init(request, trailerLimit: trailerLimit)
    }
  }

  /// Missing, wrong, revoked or disabled: one text for all, so that a guesser learns nothing.
  package static let unauthenticated = RichStatus(
    code: .unauthenticated, message: "a valid API key is needed: authorization: Bearer <key>",
    reason: "UNAUTHENTICATED"
  ).status(trailerLimit: standardTrailerLimit)

  /// A client's key on AdminService, the admin key elsewhere, or AdminService on a listener that does not serve it.
  package static let keyNotAllowedHere = RichStatus(
    code: .permissionDenied, message: "this key does not serve for this call on this listener",
    reason: "PERMISSION_DENIED"
  ).status(trailerLimit: standardTrailerLimit)

  /// What an administrator named is not there.
  package static func notFound(_ resource: ResourceReference) -> Status {
    status(.notFound, "NOT_FOUND", resource, "there is no \(resource.type) \(resource.name)")
  }

  /// The id is taken by something with other content; the same content again is harmless.
  package static func alreadyExists(_ resource: ResourceReference) -> Status {
    status(
      .alreadyExists, "ALREADY_EXISTS", resource,
      "the \(resource.type) \(resource.name) exists already with other content")
  }

  /// Something is still linked to it.
  package static func inUse(_ resource: ResourceReference) -> Status {
    status(.failedPrecondition, "IN_USE", resource, "the \(resource.type) \(resource.name) is still in use")
  }

  private static func status(
    _ code: StatusCode, _ reason: String, _ resource: ResourceReference, _ message: String
  ) -> Status {
    RichStatus(code: code, message: message, reason: reason, further: [.resourceInfo(resource)])
      .status(trailerLimit: standardTrailerLimit)
  }
}

extension RichStatus {
  init(_ error: EnergyKitError, venueID: UUID?) {
    switch error {
    case .guidanceUnavailable(let seconds):
      self.init(
        code: .unavailable, message: "no guidance is available at this time; retry in \(seconds) s",
        reason: "GUIDANCE_UNAVAILABLE", further: [.retryInfo(seconds: seconds)])
    case .inProgress:
      self.init(
        code: .aborted, message: "another request of the same kind is in progress", reason: "IN_PROGRESS",
        further: [.retryInfo(seconds: Self.inProgressRetrySeconds)])
    case .invalidLoadEvent(let invalid): self.init(invalid)
    case .locationServicesDenied:
      self.init(
        code: .failedPrecondition, message: "location services are switched off for this home",
        reason: "LOCATION_SERVICES_DENIED")
    case .permissionDenied(let subject): self.init(subject, venueID: venueID)
    case .rateLimitExceeded(let seconds): self.init(rateLimitSeconds: seconds)
    case .serviceUnavailable(let seconds):
      self.init(
        code: .unavailable, message: "the service cannot answer now; retry in \(seconds) s",
        reason: "SERVICE_UNAVAILABLE", further: [.retryInfo(seconds: seconds)])
    case .unsupportedRegion(let region):
      self.init(
        code: .failedPrecondition, message: "the venue lies outside of the supported region",
        reason: "UNSUPPORTED_REGION", metadata: region.isEmpty ? [:] : ["region": region])
    case .venueUnavailable:
      self.init(code: .notFound, message: "there is no such venue for this caller", reason: "VENUE_UNAVAILABLE")
    }
  }

  /// More than ever fit into 7 KiB: the shortest has some sixty bytes.
  private static let maximumViolationCount = 128

  /// When to ask again where nobody can say how long the other request takes.
  private static let inProgressRetrySeconds = 1

  private init(_ subject: EnergyKitError.PermissionSubject, venueID: UUID?) {
    switch subject {
    case .entitlement(let entitlement):
      self.init(
        code: .permissionDenied, message: "the client lacks the entitlement \(entitlement.name)",
        reason: "PERMISSION_DENIED", metadata: ["entitlement": entitlement.name])
    case .venue:
      self.init(
        code: .permissionDenied, message: "access to this venue was declined", reason: "PERMISSION_DENIED",
        metadata: ["venue": venueID?.text ?? ""])
    }
  }

  private init(rateLimitSeconds seconds: Int) {
    let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    self.init(
      code: .resourceExhausted, message: "too many calls or events; retry in \(seconds) s",
      reason: "RATE_LIMIT_EXCEEDED",
      further: [
        .retryInfo(seconds: seconds),
        .quotaFailure(subject: "client", description: "calls, events or streams of this client"),
      ],
      trailers: Metadata([
        .init(name: "grpc-retry-pushback-ms", value: Array(String(overflow ? .max : milliseconds).utf8))
      ]))
  }

  private init(_ invalid: InvalidLoadEvents) {
    var metadata = ["violations": String(invalid.faultCount)]
    if invalid.concernsTime {
      metadata["server_time"] = invalid.serverTime.rfc3339
    }
    self.init(
      code: .invalidArgument, message: Self.message(invalid), reason: "INVALID_LOAD_EVENT", metadata: metadata,
      violations: invalid.faults.prefix(Self.maximumViolationCount).map {
        .init(field: $0.path, description: "\($0.reason.rawValue): \($0.description)", reason: $0.reason.rawValue)
      })
  }

  private static func message(_ invalid: InvalidLoadEvents) -> String {
    let count = invalid.faultCount == 1 ? "1 fault" : "\(invalid.faultCount) faults"
    guard let first = invalid.faults.first else { return "\(count) in the load events" }
    return "\(count) in the load events, the first: \(first.path): \(first.reason.rawValue): \(first.description)"
  }
}
