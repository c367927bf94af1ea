import COpenSSL

/// SHA-256 (FIPS 180-4). Safe from every thread.
package enum SHA256 {
  package static let byteCount = 32

  /// Fetched once: looking an algorithm up by name costs more than hashing an API key. `nonisolated(unsafe)`: never
  /// changed nor freed after this, and libcrypto only reads it.
  nonisolated(unsafe) static let algorithm: OpaquePointer? = EVP_MD_fetch(nil, "SHA256", nil)

  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes { hash($0) }
  }

  /// 32 bytes. Stops the process where libcrypto has no SHA-256 or no memory, which no input can cause.
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
      var length: CUnsignedInt = 0
      let code = EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, &length, algorithm, nil)
      precondition(code == 1 && length == CUnsignedInt(byteCount), "EVP_Digest failed")
      count = byteCount
    }
  }
}
