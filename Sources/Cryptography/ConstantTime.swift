import COpenSSL

/// Comparison whose duration tells nothing of where two secrets differ.
package enum ConstantTime {
  package static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.withUnsafeBytes { a in b.withUnsafeBytes { areEqual(a, $0) } }
  }

  /// Different lengths are unequal, at once: lengths are no secret here.
  package static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let a = a.baseAddress, let second = b.baseAddress else { return true }
    return CRYPTO_memcmp(a, second, b.count) == 0
  }
}
