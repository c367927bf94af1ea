internal import GRPC
internal import ProtobufWire

/// A status with google.rpc details, before it is known what of it fits.
struct RichStatus {
  let code: StatusCode
  let message: String
  let reason: String
  var metadata: [String: String] = [:]
  /// Beside ErrorInfo, which is always there, and BadRequest.
  var further: [ErrorDetail] = []
  var violations: [ErrorDetail.FieldViolation] = []
  var trailers = Metadata()

  /// When the same call may succeed.
  var retrySeconds: Int? {
    for case .retryInfo(let seconds) in further { return seconds }
    return nil
  }

  /// The status with as many violations as fit; with no details where even ErrorInfo does not.
  func status(trailerLimit: Int) -> Status {
    let room = TrailerBudget.detailByteCount(limit: trailerLimit, message: message, trailers: trailers)
    var details = encoded([])
    guard details.count <= room else { return Status(code, message, trailers: trailers) }
    if !violations.isEmpty {
      // An empty BadRequest stands for the type name and lengths of the one that is sent.
      let frame = encoded([], framesViolations: true).count + 8
      let kept = fitting(room - frame)
      if !kept.isEmpty { details = encoded(kept) }
    }
    return Status(code, message, details: details, trailers: trailers)
  }

  private func fitting(_ room: Int) -> [ErrorDetail.FieldViolation] {
    var used = 0
    return Array(
      violations.prefix { violation in
        used += violation.byteCountInBadRequest
        return used <= room
      })
  }

  private func encoded(_ violations: [ErrorDetail.FieldViolation], framesViolations: Bool = false) -> [UInt8] {
    var details = [ErrorDetail.errorInfo(reason: reason, metadata: metadata)] + further
    if framesViolations || !violations.isEmpty { details.append(.badRequest(violations)) }
    return StatusMessage(code: code.rawValue, message: message, details: details).encodedBytes
  }
}
