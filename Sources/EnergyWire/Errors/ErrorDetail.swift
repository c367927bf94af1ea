internal import ProtobufWire

/// One of google.rpc's error details, as it is packed into a status.
enum ErrorDetail {
  /// Why, for machines. The metadata goes out in the order of its keys.
  case errorInfo(reason: String, metadata: [String: String])
  case retryInfo(seconds: Int)
  case quotaFailure(subject: String, description: String)
  case badRequest([FieldViolation])
  case resourceInfo(ResourceReference)

  struct FieldViolation {
    let field: String
    let description: String
    let reason: String
  }

  static let domain = "energykit"

  private var typeName: String {
    switch self {
    case .errorInfo: "google.rpc.ErrorInfo"
    case .retryInfo: "google.rpc.RetryInfo"
    case .quotaFailure: "google.rpc.QuotaFailure"
    case .badRequest: "google.rpc.BadRequest"
    case .resourceInfo: "google.rpc.ResourceInfo"
    }
  }

  fileprivate var typeURL: String { "type.googleapis.com/\(typeName)" }
}

/// What an administrative call is about, for ResourceInfo.
package struct ResourceReference: Hashable, Sendable {
  /// For example `venue`.
  package let type: String
  /// Its id.
  package let name: String

  package init(type: String, name: String) {
    self.type = type
    self.name = name
  }
}

extension ErrorDetail: WireMessage {
  func encode(to sink: inout some WireSink) {
    switch self {
    case .errorInfo(let reason, let metadata):
      sink.string(reason, 1)
      sink.string(Self.domain, 2)
      for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
        sink.message(TextPair(first: key, second: value), 3)
      }
    case .retryInfo(let seconds): sink.message(DurationMessage(seconds: seconds), 1)
    case .quotaFailure(let subject, let description):
      sink.message(TextPair(first: subject, second: description), 1)
    case .badRequest(let violations):
      for violation in violations { sink.message(violation, 1) }
    case .resourceInfo(let resource):
      sink.string(resource.type, 1)
      sink.string(resource.name, 2)
    }
  }
}

extension ErrorDetail.FieldViolation: WireMessage {
  func encode(to sink: inout some WireSink) {
    sink.string(field, 1)
    sink.string(description, 2)
    sink.string(reason, 3)
  }

  /// Bytes it adds to a BadRequest: a tag, at most three bytes of length, itself.
  var byteCountInBadRequest: Int { encodedByteCount + 4 }
}

/// A message of two texts, fields 1 and 2: an entry of a map, a violation of a quota.
private struct TextPair: WireMessage {
  let first: String
  let second: String

  func encode(to sink: inout some WireSink) {
    sink.string(first, 1)
    sink.string(second, 2)
  }
}

/// google.rpc.Status.
struct StatusMessage: WireMessage {
  let code: Int
  let message: String
  let details: [ErrorDetail]

  func encode(to sink: inout some WireSink) {
    sink.integer(code, 1)
    sink.string(message, 2)
    for detail in details { sink.message(AnyMessage(detail: detail), 3) }
  }
}

/// google.protobuf.Any.
private struct AnyMessage: WireMessage {
  let detail: ErrorDetail

  func encode(to sink: inout some WireSink) {
    sink.string(detail.typeURL, 1)
    sink.message(detail, 2)
  }
}
