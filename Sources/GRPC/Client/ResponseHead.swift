/// One header block of an answer as a client reads it: response headers, trailers, or both in one (trailers-only). Used
/// again and again by its connection, whose header blocks never interleave (RFC 9113 §4.3).
package struct ResponseHead {
  /// What `grpc-retry-pushback-ms` says (gRFC A6).
  package enum Pushback: Hashable, Sendable {
    /// Milliseconds to wait before the next attempt.
    case wait(UInt64)
    /// Negative, or nothing that can be read: no more attempts.
    case never
  }

  private let limit: Int
  private var block = FieldBlock()
  /// Names, values and 32 octets a field, also of those that were not kept (RFC 9113 §6.5.2).
  private var listByteCount = 0
  /// `:status`; 0 where there is none.
  package private(set) var httpStatus = 0
  /// Whether the content type is gRPC's, whatever the suffix.
  package private(set) var isGRPC = false
  /// `grpc-status`; a number that is no code is UNKNOWN.
  package private(set) var code: StatusCode?
  package private(set) var pushback: Pushback?

  /// - Parameter maximumListByteCount: As announced by SETTINGS_MAX_HEADER_LIST_SIZE.
  package init(maximumListByteCount: Int = CallLimits.headerListBytes) {
    limit = maximumListByteCount
  }

  package mutating func removeAll() {
    block.removeAll()
    listByteCount = 0
    httpStatus = 0
    isGRPC = false
    code = nil
    pushback = nil
  }

  package var size: RequestHead.Size {
    if listByteCount <= limit { .fits } else if listByteCount <= 4 * limit { .costsCall } else { .costsConnection }
  }

  /// Takes one field, its name in lower case.
  @discardableResult
  package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> RequestHead.Size {
    listByteCount += name.count + value.count + FieldBlock.fieldOverhead
    let size = size
    guard size == .fits else { return size }
    switch name.count {
    case 7 where name.equals(":status"): httpStatus = Self.number(value, maximumDigits: 3) ?? 0
    case 12 where name.equals("content-type"): isGRPC = value.starts(withText: "application/grpc")
    case 11 where name.equals("grpc-status"):
      code = Self.number(value, maximumDigits: 3).flatMap { StatusCode(rawValue: $0) } ?? .unknown
    case 22 where name.equals("grpc-retry-pushback-ms"):
      pushback = Self.number(value, maximumDigits: 9).map { .wait(UInt64($0)) } ?? .never
    case _: block.append(name: name, value: value)
    }
    return size
  }

  private static func number(_ digits: UnsafeRawBufferPointer, maximumDigits: Int) -> Int? {
    guard (1...maximumDigits).contains(digits.count) else { return nil }
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
  }

  /// The server's own fields.
  package func metadata() -> Metadata {
    block.withFields { Metadata(received: $0) }
  }

  /// Whether messages may follow these headers; else why the call is over (G-070).
  package var refusal: Status? {
    guard size == .fits else { return tooLarge }
    guard httpStatus == 200, isGRPC else { return httpFailure }
    return nil
  }

  /// How the call ended, where this block has ended it.
  ///
  /// - Parameter isTrailersOnly: Whether it is the first block too, with a `:status` of its own.
  /// - Parameter keepsMetadata: Whether the server's own fields become the status' trailers.
  package func status(isTrailersOnly: Bool, keepsMetadata: Bool) -> Status {
    guard size == .fits else { return tooLarge }
    guard let code else {
      if isTrailersOnly { return httpFailure }
      return Status(.unknown, "the server has ended the call without a status")
    }
    guard block.count > 0 else { return Status(code) }
    var status = Status(code)
    block.withFields { fields in
      for (name, value) in fields {
        if name.equals("grpc-message") {
          status.message = PercentEncoding.decode(value)
        } else if name.equals("grpc-status-details-bin") {
          status.details = Base64.decode(value) ?? []
        }
      }
    }
    if keepsMetadata { status.trailers = metadata() }
    return status
  }

  private var tooLarge: Status {
    Status(.resourceExhausted, "the headers of the answer are larger than the limit of \(limit) bytes")
  }

  /// Only where there is no `grpc-status` (gRPC, "HTTP to gRPC Status Code Mapping"; G-070).
  private var httpFailure: Status {
    if let code { return Status(code) }
    let code: StatusCode =
      switch httpStatus {
      case 400: .internal
      case 401: .unauthenticated
      case 403: .permissionDenied
      case 404: .unimplemented
      case 429, 502, 503, 504: .unavailable
      case _: .unknown
      }
    let what = httpStatus == 200 ? "the answer is not gRPC's" : "the server has answered with HTTP status \(httpStatus)"
    return Status(code, what)
  }
}
