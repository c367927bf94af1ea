extension FieldBlock {
  /// The headers of an answer that has messages (G-065). Of the metadata, what fits the client's limit.
  package mutating func appendResponseHeaders(
    _ terms: CallTerms, metadata: Metadata = Metadata(), limit: Int = CallLimits.trailerListBytes
  ) {
    let room = listByteCount + min(limit, CallLimits.trailerListBytes)
    append(":status", "200")
    append("content-type", terms.contentType.text)
    if terms.answersGzip { append("grpc-encoding", "gzip") }
    if terms.namesEncodings { append("grpc-accept-encoding", Encoding.served) }
    for field in metadata.fields { append(field, within: room) }
  }

  /// The end of a call whose headers are on their way (G-066).
  ///
  /// - Parameter limit: What the client takes (SETTINGS_MAX_HEADER_LIST_SIZE), where it says so and says less than the
  ///   default. What does not fit is left out, the status never (G-075).
  package mutating func appendTrailers(_ status: Status, limit: Int = CallLimits.trailerListBytes) {
    let room = listByteCount + min(limit, CallLimits.trailerListBytes)
    appendStatus(status, within: room)
  }

  /// Headers and end in one, for a call that sends nothing else (G-068).
  package mutating func appendTrailersOnly(
    _ status: Status, _ terms: CallTerms, metadata: Metadata = Metadata(), limit: Int = CallLimits.trailerListBytes
  ) {
    let room = listByteCount + min(limit, CallLimits.trailerListBytes)
    append(":status", "200")
    append("content-type", terms.contentType.text)
    if terms.namesEncodings { append("grpc-accept-encoding", Encoding.served) }
    appendStatus(status, within: room, metadata: metadata)
  }

  /// The whole answer to something that is no gRPC call.
  package mutating func appendRefusal(_ refusal: HTTPRefusal) {
    switch refusal {
    case .methodNotAllowed:
      append(":status", "405")
      append("allow", "POST")
    case .unsupportedMediaType:
      append(":status", "415")
    case .foreignOrigin:
      append(":status", "403")
      append("vary", "origin")
    }
  }

  /// The status first; then what fits, the most useful to a program first and the text for people, which can be cut,
  /// last.
  private mutating func appendStatus(_ status: Status, within room: Int, metadata: Metadata = Metadata()) {
    append("grpc-status") { bytes in
      let code = UInt8(truncatingIfNeeded: status.code.rawValue)
      if code >= 10 { bytes.append(UInt8(ascii: "0") + code / 10) }
      bytes.append(UInt8(ascii: "0") + code % 10)
    }
    for field in status.trailers.fields { append(field, within: room) }
    for field in metadata.fields { append(field, within: room) }
    let name: StaticString = "grpc-status-details-bin"
    let detailsByteCount = Base64.encodedByteCount(status.details.count) + name.utf8CodeUnitCount + Self.fieldOverhead
    if !status.details.isEmpty && listByteCount + detailsByteCount <= room {
      append(name) { Base64.append(status.details, to: &$0) }
    }
    appendMessage(status.message, within: room)
  }

  private mutating func append(_ field: Metadata.Field, within room: Int) {
    let before = count
    append(field)
    if count > before && listByteCount > room { removeLast() }
  }

  private mutating func appendMessage(_ message: String, within room: Int) {
    let name: StaticString = "grpc-message"
    let maximum = room - listByteCount - name.utf8CodeUnitCount - Self.fieldOverhead
    guard !message.isEmpty, maximum > 0 else { return }
    let before = listByteCount
    append(name) { PercentEncoding.append(message, to: &$0, maximum: maximum) }
    if listByteCount == before + name.utf8CodeUnitCount + Self.fieldOverhead { removeLast() }
  }
}
