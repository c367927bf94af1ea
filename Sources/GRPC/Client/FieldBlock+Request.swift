/// What the headers of a request say (gRPC over HTTP2, "Requests").
package struct RequestFields {
  /// `/package.Service/Method`.
  package var path: String
  package var authority: String
  package var userAgent: String
  package var isSecure: Bool
  /// Milliseconds that are left; `nil`: no limit.
  package var timeoutMilliseconds: UInt64?
  /// Attempts before this one, those left out that the server never saw (gRFC A6).
  package var previousAttemptCount = 0
  package var metadata = Metadata()

  package init(path: String, authority: String, userAgent: String, isSecure: Bool = false) {
    self.path = path
    self.authority = authority
    self.userAgent = userAgent
    self.isSecure = isSecure
  }
}

extension FieldBlock {
  /// The headers of a request. Metadata that cannot be sent is left out, as in answers.
  package mutating func appendRequest(_ request: RequestFields) {
    append(":method", "POST")
    if request.isSecure { append(":scheme", "https") } else { append(":scheme", "http") }
    append(":path") { $0.append(contentsOf: request.path.utf8) }
    append(":authority") { $0.append(contentsOf: request.authority.utf8) }
    append("te", "trailers")
    append("content-type", "application/grpc")
    append("user-agent") { $0.append(contentsOf: request.userAgent.utf8) }
    if let timeout = request.timeoutMilliseconds { append("grpc-timeout") { Timeout.append(timeout, to: &$0) } }
    if request.previousAttemptCount > 0 {
      append("grpc-previous-rpc-attempts") { $0.append(contentsOf: String(request.previousAttemptCount).utf8) }
    }
    for field in request.metadata.fields { append(field) }
  }
}

extension Timeout {
  /// Appends the text of a timeout: at most eight digits, rounded up where the unit is coarser than a millisecond
  /// (gRPC over HTTP2, "Timeout").
  package static func append(_ milliseconds: UInt64, to bytes: inout [UInt8]) {
    let units: [(size: UInt64, letter: UInt8)] = [
      (1, UInt8(ascii: "m")), (1_000, UInt8(ascii: "S")), (60_000, UInt8(ascii: "M")), (3_600_000, UInt8(ascii: "H")),
    ]
    let largest: UInt64 = 99_999_999
    var amount = largest
    var letter = UInt8(ascii: "H")
    for unit in units {
      let rounded = milliseconds / unit.size + (milliseconds % unit.size == 0 ? 0 : 1)
      guard rounded <= largest else { continue }
      amount = rounded
      letter = unit.letter
      break
    }
    bytes.append(contentsOf: String(amount).utf8)
    bytes.append(letter)
  }
}
