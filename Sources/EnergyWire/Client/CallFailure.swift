internal import CEnergyProto
package import EnergyModel
package import GRPC
internal import ProtobufWire

/// Why a call has failed, as far as the server says (docs/api.md, Errors).
package struct CallFailure: Error, Hashable, Sendable {
  package let code: StatusCode
  /// For a person.
  package let message: String
  /// Of ErrorInfo, for example `VENUE_UNAVAILABLE`; empty where there is none: an error of gRPC itself.
  package var reason = ""
  /// Of ErrorInfo.
  package var metadata: [String: String] = [:]
  /// After which the same call may succeed.
  package var retryAfterMilliseconds: Int64?
  package var violations: [Contract.Rejection] = []
  /// What an administrative call is about; empty where that is not said.
  package var resource = ResourceReference(type: "", name: "")

  package init(code: StatusCode, message: String) {
    self.code = code
    self.message = message
  }

  /// Details that cannot be read count as none.
  package init(_ status: Status) {
    self.init(code: status.code, message: status.message)
    guard !status.details.isEmpty else { return }
    status.details.withUnsafeBytes { bytes in
      try? read(bytes)
    }
  }

  /// The answer is not what the contract promises.
  package init(_ error: WireError, of method: MethodName) {
    let why =
      switch error {
      case .unparsable: "it is not a message of its type"
      case .tooComplex: "it is too much to be decoded"
      case .invalid(let fault): "\(fault.field): \(fault.description)"
      }
    self.init(code: .internal, message: "the server's answer to \(method.path) cannot be used: \(why)")
  }

  private mutating func read(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
    let arena = DecodeArena()
    let message = try DecodedMessage(bytes, ContractMessage(google__rpc__status__init), arena: arena)
    let raw = message.view(Google__Rpc__Status.self).pointee
    let details = try message.list(raw.n_details, raw.details) { detail throws(WireError) in
      let value = detail.pointee.value
      return (
        type: try arena.text(of: detail.pointee.type_url),
        bytes: Array(UnsafeBufferPointer(start: value.data, count: value.data == nil ? 0 : value.len))
      )
    }
    // The arena is taken back by each of these.
    for detail in details {
      detail.bytes.withUnsafeBytes { bytes in try? readDetail(detail.type, bytes, arena) }
    }
  }

  private mutating func readDetail(
    _ type: String, _ bytes: UnsafeRawBufferPointer, _ arena: DecodeArena
  ) throws(WireError) {
    switch type.split(separator: "/").last {
    case "google.rpc.ErrorInfo":
      let message = try DecodedMessage(bytes, ContractMessage(google__rpc__error_info__init), arena: arena)
      let raw = message.view(Google__Rpc__ErrorInfo.self).pointee
      reason = try arena.text(of: raw.reason)
      let pairs = try message.list(raw.n_metadata, raw.metadata) { entry throws(WireError) in
        (try arena.text(of: entry.pointee.key), try arena.text(of: entry.pointee.value))
      }
      metadata = Dictionary(pairs) { $1 }
    case "google.rpc.RetryInfo":
      let message = try DecodedMessage(bytes, ContractMessage(google__rpc__retry_info__init), arena: arena)
      guard let delay = message.view(Google__Rpc__RetryInfo.self).pointee.retry_delay else { return }
      let seconds = min(max(delay.pointee.seconds, 0), 315_576_000_000)
      retryAfterMilliseconds = seconds * 1000 + Int64(max(delay.pointee.nanos, 0)) / 1_000_000
    case "google.rpc.BadRequest":
      let message = try DecodedMessage(bytes, ContractMessage(google__rpc__bad_request__init), arena: arena)
      let raw = message.view(Google__Rpc__BadRequest.self).pointee
      violations = try message.list(raw.n_field_violations, raw.field_violations) { violation throws(WireError) in
        Contract.Rejection(
          field: try arena.text(of: violation.pointee.field), reason: try arena.text(of: violation.pointee.reason),
          description: try arena.text(of: violation.pointee.description))
      }
    case "google.rpc.ResourceInfo":
      let message = try DecodedMessage(bytes, ContractMessage(google__rpc__resource_info__init), arena: arena)
      let raw = message.view(Google__Rpc__ResourceInfo.self).pointee
      resource = ResourceReference(
        type: try arena.text(of: raw.resource_type), name: try arena.text(of: raw.resource_name))
    case _: return
    }
  }
}

extension CallFailure {
  /// Apple's error, where the failure is one of these (docs/api.md, Errors); faults of load events without their places.
  package var energyKitError: EnergyKitError? {
    switch reason {
    case "PERMISSION_DENIED":
      let entitlement = Entitlement.allCases.first { $0.name == metadata["entitlement"] }
      return .permissionDenied(entitlement.map { .entitlement($0) } ?? .venue)
    case "VENUE_UNAVAILABLE": return .venueUnavailable
    case "LOCATION_SERVICES_DENIED": return .locationServicesDenied
    case "UNSUPPORTED_REGION": return .unsupportedRegion(region: metadata["region"] ?? "")
    case "GUIDANCE_UNAVAILABLE": return .guidanceUnavailable(retryAfterSeconds: retryAfterSeconds)
    case "SERVICE_UNAVAILABLE": return .serviceUnavailable(retryAfterSeconds: retryAfterSeconds)
    case "RATE_LIMIT_EXCEEDED": return .rateLimitExceeded(retryAfterSeconds: retryAfterSeconds)
    case "IN_PROGRESS": return .inProgress
    case "INVALID_LOAD_EVENT": return .invalidLoadEvent(invalidLoadEvents)
    case _: return nil
    }
  }

  /// Rounded up.
  private var retryAfterSeconds: Int { Int(((retryAfterMilliseconds ?? 0) + 999) / 1000) }

  private var invalidLoadEvents: InvalidLoadEvents {
    let faults = violations.map { violation in
      // The reason leads the description as well (docs/api.md, Errors).
      let lead = violation.reason + ": "
      let text = violation.description.hasPrefix(lead) ? violation.description.dropFirst(lead.count) : ""
      return LoadEventFault(
        position: nil, field: violation.field,
        reason: LoadEventFault.Reason(rawValue: violation.reason) ?? .malformed,
        description: text.isEmpty ? violation.description : String(text))
    }
    let count = metadata["violations"].flatMap { Int($0) } ?? faults.count
    return InvalidLoadEvents(
      faults: faults, faultCount: max(count, faults.count),
      serverTime: metadata["server_time"].flatMap { Timestamp(rfc3339: $0) } ?? Timestamp(seconds: 0))
  }
}
