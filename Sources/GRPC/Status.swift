/// The seventeen codes of gRPC (grpc doc/statuscodes.md). Raw values are the wire's.
package enum StatusCode: Int, Hashable, Sendable, CaseIterable {
  case ok = 0
  case cancelled = 1
  case unknown = 2
  case invalidArgument = 3
  case deadlineExceeded = 4
  case notFound = 5
  case alreadyExists = 6
  case permissionDenied = 7
  case resourceExhausted = 8
  case failedPrecondition = 9
  case aborted = 10
  case outOfRange = 11
  case unimplemented = 12
  case `internal` = 13
  case unavailable = 14
  case dataLoss = 15
  case unauthenticated = 16

  /// As the documents write it: `DEADLINE_EXCEEDED`.
  package var name: String {
    switch self {
    case .ok: "OK"
    case .cancelled: "CANCELLED"
    case .unknown: "UNKNOWN"
    case .invalidArgument: "INVALID_ARGUMENT"
    case .deadlineExceeded: "DEADLINE_EXCEEDED"
    case .notFound: "NOT_FOUND"
    case .alreadyExists: "ALREADY_EXISTS"
    case .permissionDenied: "PERMISSION_DENIED"
    case .resourceExhausted: "RESOURCE_EXHAUSTED"
    case .failedPrecondition: "FAILED_PRECONDITION"
    case .aborted: "ABORTED"
    case .outOfRange: "OUT_OF_RANGE"
    case .unimplemented: "UNIMPLEMENTED"
    case .internal: "INTERNAL"
    case .unavailable: "UNAVAILABLE"
    case .dataLoss: "DATA_LOSS"
    case .unauthenticated: "UNAUTHENTICATED"
    }
  }
}

/// How a call ended.
package struct Status: Error, Hashable, Sendable {
  package var code: StatusCode
  /// For a person. Percent-encoded on the wire (G-067); left out there if empty.
  package var message: String
  /// A serialised google.rpc.Status for `grpc-status-details-bin` (G-074); empty: none.
  package var details: [UInt8]
  /// Further trailers, for example `grpc-retry-pushback-ms` (G-076). Lower-case names.
  package var trailers: Metadata

  package init(_ code: StatusCode, _ message: String = "", details: [UInt8] = [], trailers: Metadata = Metadata()) {
    self.code = code
    self.message = message
    self.details = details
    self.trailers = trailers
  }

  package static let ok = Status(.ok)
}
