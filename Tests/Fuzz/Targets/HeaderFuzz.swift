import GRPC

/// Everything that is read from a request's headers: whatever comes in, what is kept may be sent, and comes back the
/// same.
@c(fuzz_headers) public func fuzzHeaders(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(data, count)
  let head = RequestHead(maximumListByteCount: 2048)
  while !input.rest.isEmpty {
    let name = input.byte()
    let nameBytes =
      Int(name) < knownNames.count
      ? UnsafeRawBufferPointer(knownNames[Int(name)]) : input.bytes(Int(name) - knownNames.count)
    let value = input.bytes(Int(input.byte()))
    if head.append(name: nameBytes, value: value) == .costsConnection { break }
  }
  checkJudgement(of: head)
  checkMetadata(Metadata(head))
  return 0
}

/// grpc-timeout and percent-encoding, against the plainest way to read them.
@c(fuzz_values) public func fuzzValues(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: data, count: count)
  let text = String(decoding: bytes, as: UTF8.self)
  if Timeout.milliseconds(bytes) != plainMilliseconds(text) { violated("grpc-timeout is read as written") }
  var encoded: [UInt8] = []
  PercentEncoding.append(text, to: &encoded)
  if !encoded.allSatisfy({ (0x20...0x7E).contains($0) }) { violated("grpc-message is printable ASCII") }
  if encoded.withUnsafeBytes({ PercentEncoding.decode($0) }) != text { violated("grpc-message comes back") }
  var cut: [UInt8] = []
  PercentEncoding.append(text, to: &cut, maximum: count / 2)
  let cutText = cut.withUnsafeBytes { PercentEncoding.decode($0) }
  if cut.count > count / 2 || !text.unicodeScalars.starts(with: cutText.unicodeScalars) {
    violated("a cut grpc-message is the front of it")
  }
  _ = PercentEncoding.decode(bytes)
  if let decoded = Base64.decode(bytes) {
    var again: [UInt8] = []
    Base64.append(decoded, to: &again)
    if Base64.decode(again) != decoded { violated("base64 comes back") }
  }
  checkPieces(of: bytes)
  return 0
}

/// Base64 in two pieces says what it says in one.
private func checkPieces(of text: UnsafeRawBufferPointer) {
  let cut = text.isEmpty ? 0 : Int(text[0]) % text.count
  let whole = decoded([text])
  let pieces = decoded([UnsafeRawBufferPointer(rebasing: text[..<cut]), UnsafeRawBufferPointer(rebasing: text[cut...])])
  if whole != pieces { violated("pieces of base64 say what the whole says") }
  guard let whole else { return }
  var again = [UInt8](repeating: 0, count: Base64.paddedByteCount(whole.count))
  again.withUnsafeMutableBytes { buffer in whole.withUnsafeBytes { Base64.encode($0, into: buffer) } }
  if again.withUnsafeBytes({ decoded([$0]) }) != whole { violated("padded base64 comes back") }
}

private func decoded(_ pieces: [UnsafeRawBufferPointer]) -> [UInt8]? {
  var decoder = Base64Decoder()
  var bytes: [UInt8] = []
  for piece in pieces {
    var part = [UInt8](repeating: 0, count: decoder.maximumByteCount(of: piece.count))
    guard let count = part.withUnsafeMutableBytes({ try? decoder.decode(piece, into: $0) }) else { return nil }
    bytes += part[..<count]
  }
  return bytes
}

private nonisolated(unsafe) let knownNames: [UnsafeBufferPointer<UInt8>] = [
  ":method", ":path", ":scheme", ":authority", "host", "content-type", "te", "grpc-timeout", "grpc-encoding",
  "grpc-accept-encoding", "authorization", "user-agent", "trace-bin", "note", "grpc-trace-bin", "content-length",
  "origin", "access-control-request-method", "access-control-request-headers",
].map { (name: StaticString) in UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount) }

private func checkJudgement(of head: RequestHead) {
  var block = FieldBlock()
  switch head.judge(servesWeb: true) {
  case .accepted(let terms):
    if head.size != .fits { violated("large headers are refused") }
    block.appendResponseHeaders(terms, metadata: Metadata(head))
  case .refused(let status, let terms): block.appendTrailersOnly(status, terms, metadata: Metadata(head), limit: 512)
  case .notGRPC(let refusal): block.appendRefusal(refusal)
  case .preflight: block.appendPreflightAnswer(origin: head.origin ?? [], wanted: head.wantedHeaders)
  }
  block.withFields { fields in
    for (name, value) in fields {
      let isLegal = !name.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0 < 0x21 || $0 > 0x7E }
      if name.isEmpty || !isLegal || !value.allSatisfy({ (0x20...0x7E).contains($0) }) {
        violated("what is sent is legal")
      }
    }
  }
}

/// Sent by us, received again, it is the same.
private func checkMetadata(_ metadata: Metadata) {
  var block = FieldBlock()
  block.appendResponseHeaders(CallTerms(contentType: .plain), metadata: metadata)
  let again = RequestHead(maximumListByteCount: 1 << 20)
  block.withFields { fields in
    for (name, value) in fields { again.append(name: name, value: value) }
  }
  let kept = metadata.fields.filter { !$0.name.hasPrefix("grpc-") }
  // Values joined by commas come apart, and each part counts; what is too much for an answer is left out.
  let byteCount = kept.reduce(0) { $0 + $1.name.utf8.count + Base64.encodedByteCount($1.value.count) + 32 }
  guard byteCount + 200 <= CallLimits.trailerListBytes else { return }
  if Metadata(again).fields != kept { violated("metadata comes back") }
}

private func plainMilliseconds(_ text: String) -> UInt64? {
  let scales: [Character: Double] = ["H": 3_600_000, "M": 60_000, "S": 1_000, "m": 1, "u": 0.001, "n": 0.000_001]
  guard let unit = text.last, let scale = scales[unit] else { return nil }
  let digits = text.dropLast()
  guard (1...8).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
    let amount = Double(digits)
  else { return nil }
  return UInt64((amount * scale).rounded(.up))
}
