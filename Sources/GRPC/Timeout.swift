/// `grpc-timeout`: 1 to 8 digits and a unit (gRPC over HTTP2, "Timeout"; G-036).
package enum Timeout {
  /// Milliseconds, rounded up; `nil` where the text is no timeout (G-037). 0 is already over. The largest possible,
  /// 99999999H, is 3.6e14.
  package static func milliseconds(_ text: UnsafeRawBufferPointer) -> UInt64? {
    guard (2...9).contains(text.count), let unit = text.last else { return nil }
    var amount: UInt64 = 0
    for byte in text.dropLast() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      amount = amount * 10 + UInt64(byte - UInt8(ascii: "0"))
    }
    switch unit {
    case UInt8(ascii: "H"): return amount * 3_600_000
    case UInt8(ascii: "M"): return amount * 60_000
    case UInt8(ascii: "S"): return amount * 1_000
    case UInt8(ascii: "m"): return amount
    case UInt8(ascii: "u"): return (amount + 999) / 1_000
    case UInt8(ascii: "n"): return (amount + 999_999) / 1_000_000
    case _: return nil
    }
  }
}
