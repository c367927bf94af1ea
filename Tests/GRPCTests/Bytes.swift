import GRPC

/// Runs `body` on the UTF-8 of `text`.
func withBytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
  try Array(text.utf8).withUnsafeBytes(body)
}

/// Text in which every byte is one character, so that tests can write bytes that are no UTF-8.
func latin1(_ bytes: some Sequence<UInt8>) -> String {
  String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}

/// "name: value" for each field, in order.
func lines(_ block: FieldBlock) -> [String] {
  block.withFields { fields in fields.map { "\(latin1($0.name)): \(latin1($0.value))" } }
}

func head(_ fields: [(String, String)], limit: Int = 16 << 10) -> RequestHead {
  let head = RequestHead(maximumListByteCount: limit)
  for (name, value) in fields { append(name, value, to: head) }
  return head
}

@discardableResult
func append(_ name: String, _ value: String, to head: RequestHead) -> RequestHead.Size {
  withBytes(name) { name in withBytes(value) { head.append(name: name, value: $0) } }
}

/// A deterministic source of chance: a failing seed is the bug report.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
