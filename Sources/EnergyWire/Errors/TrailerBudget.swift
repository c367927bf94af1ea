internal import GRPC

/// How much the details of a status may weigh, so that the trailers fit into what the client takes
/// (docs/architecture.md, Errors; G-075).
struct TrailerBudget {
  /// The most that trailers may weigh, also where the client would take more.
  static let maximumByteCount = 7 << 10
  /// What RFC 9113 §6.5.2 adds to every field.
  private static let fieldOverhead = 32
  /// `:status`, `content-type`, `grpc-accept-encoding` and `grpc-status` of a trailers-only answer, rounded up.
  private static let otherFieldsByteCount = 256

  /// Bytes that a serialised google.rpc.Status may have beside this message and these trailers; may be negative.
  static func detailByteCount(limit: Int, message: String, trailers: Metadata) -> Int {
    var encodedMessage: [UInt8] = []
    PercentEncoding.append(message, to: &encodedMessage)
    var used = otherFieldsByteCount
    used += "grpc-message".utf8.count + encodedMessage.count + fieldOverhead
    used += "grpc-status-details-bin".utf8.count + fieldOverhead
    for field in trailers.fields { used += field.name.utf8.count + field.value.count + fieldOverhead }
    // Base64 makes four bytes of three.
    return (min(limit, maximumByteCount) - used) * 3 / 4
  }
}
