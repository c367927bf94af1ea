import COpenSSL

/// AES-128 (FIPS 197) on whole blocks, each for itself (ECB), without padding.
///
/// Right where every block is unique by construction, as guidance tokens are (docs/architecture.md, Guidance token),
/// wrong for everything else. Not Sendable: its two contexts change with each call, so each loop has its own.
package final class AES128 {
  package static let blockByteCount = 16
  package static let keyByteCount = 16

  private let encryption: OpaquePointer
  private let decryption: OpaquePointer

  /// `key` has 16 bytes.
  package init(key: [UInt8]) throws(CryptographyError) {
    precondition(key.count == Self.keyByteCount, "an AES-128 key has 16 bytes")
    let encryption = try check(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
    guard let decryption = EVP_CIPHER_CTX_new() else {
      EVP_CIPHER_CTX_free(encryption)
      throw CryptographyError(call: "EVP_CIPHER_CTX_new")
    }
    self.encryption = encryption
    self.decryption = decryption
    try check(EVP_EncryptInit_ex(encryption, EVP_aes_128_ecb(), nil, key, nil), "EVP_EncryptInit_ex")
    try check(EVP_CIPHER_CTX_set_padding(encryption, 0), "EVP_CIPHER_CTX_set_padding")
    try check(EVP_DecryptInit_ex(decryption, EVP_aes_128_ecb(), nil, key, nil), "EVP_DecryptInit_ex")
    try check(EVP_CIPHER_CTX_set_padding(decryption, 0), "EVP_CIPHER_CTX_set_padding")
  }

  deinit {
    EVP_CIPHER_CTX_free(encryption)
    EVP_CIPHER_CTX_free(decryption)
  }

  /// Encrypts `blocks` in place: a multiple of 16 bytes, below 2 GiB.
  package func encrypt(_ blocks: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    let count = wholeBlocks(blocks)
    guard count > 0 else { return }
    let bytes = blocks.assumingMemoryBound(to: UInt8.self).baseAddress
    var written: CInt = 0
    try check(EVP_EncryptUpdate(encryption, bytes, &written, bytes, count), "EVP_EncryptUpdate")
  }

  /// Decrypts `blocks` in place: a multiple of 16 bytes, below 2 GiB.
  package func decrypt(_ blocks: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    let count = wholeBlocks(blocks)
    guard count > 0 else { return }
    let bytes = blocks.assumingMemoryBound(to: UInt8.self).baseAddress
    var written: CInt = 0
    try check(EVP_DecryptUpdate(decryption, bytes, &written, bytes, count), "EVP_DecryptUpdate")
  }

  private func wholeBlocks(_ blocks: UnsafeMutableRawBufferPointer) -> CInt {
    precondition(blocks.count.isMultiple(of: Self.blockByteCount), "AES works on whole blocks")
    return CInt(blocks.count)
  }
}
