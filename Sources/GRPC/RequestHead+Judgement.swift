/// What the headers of a call say of its form, before anyone asks which method it wants or who may call it.
package enum HeadJudgement: Hashable, Sendable {
  case accepted(CallTerms)
  /// Answered with the HTTP status alone: this is no gRPC call.
  case notGRPC(HTTPRefusal)
  /// A browser asks whether a page may call (G-133).
  case preflight
  /// Answered with trailers only, `CallTerms` giving their form (G-068).
  case refused(Status, CallTerms)
}

/// What a well-formed call asks for.
package struct CallTerms: Hashable, Sendable {
  /// The content type of the answer.
  package var contentType: ContentType
  /// Milliseconds from the arrival of the headers; `nil`: no limit. 0 is already over (G-036).
  package var timeoutMilliseconds: UInt64?
  /// Of the request's messages.
  package var requestEncoding = Encoding.identity
  /// Whether the answer names the codings that are served: where the request's is not (G-039), and where it is one at all.
  package var namesEncodings = false
  /// Whether messages of the answer may be gzip (G-063).
  package var answersGzip = false

  package init(contentType: ContentType, timeoutMilliseconds: UInt64? = nil) {
    self.contentType = contentType
    self.timeoutMilliseconds = timeoutMilliseconds
  }
}

/// Answers to requests that are not gRPC.
package enum HTTPRefusal: Hashable, Sendable {
  /// 405; only POST is served (G-030).
  case methodNotAllowed
  /// 415 (G-035).
  case unsupportedMediaType
  /// 403: a page that may not call (G-133).
  case foreignOrigin
}

extension RequestHead {
  /// Judges G-030, 035, 037, 039 and 046, in the order in which a client can make sense of the answer. A missing `te` is
  /// accepted (G-034).
  ///
  /// - Parameter servesWeb: Whether gRPC-Web is served; the caller sees to origins.
  package func judge(servesWeb: Bool = false) -> HeadJudgement {
    guard size == .fits else {
      let text = "the headers are larger than the limit of \(limit) bytes"
      return .refused(Status(.resourceExhausted, text), CallTerms(contentType: .plain))
    }
    guard withValue(.method, { $0.equals("POST") }) == true else {
      return servesWeb && isPreflight ? .preflight : .notGRPC(.methodNotAllowed)
    }
    guard let contentType = withValue(.contentType, { ContentType($0) }) ?? nil, servesWeb || !contentType.isWeb else {
      return .notGRPC(.unsupportedMediaType)
    }
    var terms = CallTerms(contentType: contentType)
    if let timeout = withValue(.timeout, { Timeout.milliseconds($0) }) {
      guard let timeout else { return .refused(Status(.internal, "grpc-timeout is malformed"), terms) }
      terms.timeoutMilliseconds = timeout
    }
    guard let encoding = withValue(.encoding, { Encoding($0) }) else { return .accepted(terms) }
    terms.namesEncodings = encoding != .identity
    guard let encoding else {
      let text = "the grpc-encoding of the request is not served; served: \(Encoding.served)"
      return .refused(Status(.unimplemented, text), terms)
    }
    terms.requestEncoding = encoding
    return .accepted(terms)
  }
}
