import COpenSSL

/// Random bytes fit for keys (libcrypto's generator, seeded by the kernel).
package enum SecureRandom {
  package static func bytes(_ count: Int) throws(CryptographyError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard count > 0 else { return bytes }
    try check(RAND_bytes(&bytes, CInt(count)), "RAND_bytes")
    return bytes
  }
}
