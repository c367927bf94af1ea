import GRPC

/// A request as text: numbers with spaces between, then whatever the method says.
struct EchoRequest: Sendable {
  let bytes: [UInt8]

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = Array(bytes)
  }

  private var words: [Substring] { String(decoding: bytes, as: UTF8.self).split(separator: " ") }

  /// The number at `index`; 0 where there is none.
  func number(_ index: Int) -> Int {
    let words = words
    return index < words.count ? Int(words[index]) ?? 0 : 0
  }

  /// `CODE BYTES-OF-DETAILS PUSHBACK MESSAGE…`; no pushback where that is `-`.
  var status: Status {
    let parts = String(decoding: bytes, as: UTF8.self).split(
      separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, let number = Int(parts[0]), let code = StatusCode(rawValue: number) else {
      return Status(.invalidArgument, "CODE DETAILS PUSHBACK MESSAGE")
    }
    var trailers = Metadata()
    if parts[2] != "-" { trailers.fields.append(.init(name: "grpc-retry-pushback-ms", value: Array(parts[2].utf8))) }
    let details = [UInt8](repeating: 0xD7, count: min(Int(parts[1]) ?? 0, 1 << 20))
    return Status(code, String(parts[3]), details: details, trailers: trailers)
  }
}
