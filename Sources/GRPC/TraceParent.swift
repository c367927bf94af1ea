/// Whose trace a call belongs to: the `traceparent` header (W3C Trace Context, "Traceparent Header").
package struct TraceParent: Hashable, Sendable {
  /// 32 digits in lower-case hexadecimal, not all 0.
  package let traceID: [UInt8]

  private static let versionEnd = 2
  private static let traceEnd = 35
  private static let parentEnd = 52
  private static let byteCount = 55

  /// `nil` where the value is malformed: the call belongs to no trace then. A later version may have more behind it.
  package init?(_ value: UnsafeRawBufferPointer) {
    guard value.count >= Self.byteCount else { return nil }
    let isKnownVersion = value[0] == UInt8(ascii: "0") && value[1] == UInt8(ascii: "0")
    let isForbidden = value[0] == UInt8(ascii: "f") && value[1] == UInt8(ascii: "f")
    guard !isForbidden, isKnownVersion ? value.count == Self.byteCount : Self.endsWell(value) else { return nil }
    for (index, byte) in value.prefix(Self.byteCount).enumerated() {
      switch index {
      case Self.versionEnd, Self.traceEnd, Self.parentEnd: guard byte == UInt8(ascii: "-") else { return nil }
      case _: guard Self.isDigit(byte) else { return nil }
      }
    }
    let trace = value[(Self.versionEnd + 1)..<Self.traceEnd]
    let parent = value[(Self.traceEnd + 1)..<Self.parentEnd]
    guard !Self.isZero(trace), !Self.isZero(parent) else { return nil }
    traceID = Array(trace)
  }

  private static func endsWell(_ value: UnsafeRawBufferPointer) -> Bool {
    value.count == byteCount || value[byteCount] == UInt8(ascii: "-")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    case _: false
    }
  }

  private static func isZero(_ digits: Slice<UnsafeRawBufferPointer>) -> Bool {
    digits.allSatisfy { $0 == UInt8(ascii: "0") }
  }

  package var text: String { String(decoding: traceID, as: UTF8.self) }
}

extension RequestHead {
  package var traceParent: TraceParent? { withFirstValue("traceparent") { TraceParent($0) } ?? nil }
}
