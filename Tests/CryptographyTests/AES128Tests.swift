import Cryptography
import Testing

@Suite struct `An AES-128 block` {
  // FIPS 197 appendix C.1, then SP 800-38A F.1.1.
  static let key = hex("000102030405060708090a0b0c0d0e0f")
  static let plain = hex("00112233445566778899aabbccddeeff")
  static let secret = hex("69c4e0d86a7b0430d8cdb78070b4c55a")

  @Test func `agrees with FIPS 197 both ways`() throws {
    let cipher = try AES128(key: Self.key)
    var block = Self.plain
    try cipher.encrypt(&block)
    #expect(block == Self.secret)
    try cipher.decrypt(&block)
    #expect(block == Self.plain)
  }

  @Test func `agrees with SP 800-38A among others in one call`() throws {
    let cipher = try AES128(key: hex("2b7e151628aed2a6abf7158809cf4f3c"))
    var blocks = hex(
      """
      6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
      30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710
      """)
    let plain = blocks
    try cipher.encrypt(&blocks)
    #expect(
      blocks
        == hex(
          """
          3ad77bb40d7a3660a89ecaf32466ef97 f5d3d58503b9699de785895a96fdbaaf
          43b1cd7f598ece23881b00e3ed030688 7b0c785e27e8ad3f8223207104725dd4
          """))
    try cipher.decrypt(&blocks)
    #expect(blocks == plain)
  }

  @Test func `does not depend on how many are in a call, nor on calls before`() throws {
    let cipher = try AES128(key: Self.key)
    var many = (0..<10_000).flatMap { _ in Self.plain }
    for _ in 0..<3 {
      try cipher.encrypt(&many)
      #expect(many == (0..<10_000).flatMap { _ in Self.secret })
      try cipher.decrypt(&many)
    }
    #expect(many == (0..<10_000).flatMap { _ in Self.plain })
    var none: [UInt8] = []
    try cipher.encrypt(&none)
    #expect(none.isEmpty)
  }

  @Test func `is never partly given`() async {
    await #expect(processExitsWith: .failure) {
      var bytes: [UInt8] = [1, 2, 3]
      try AES128(key: [UInt8](repeating: 0, count: 16)).encrypt(&bytes)
    }
  }
}

extension AES128 {
  fileprivate func encrypt(_ bytes: inout [UInt8]) throws {
    try bytes.withUnsafeMutableBytes { try encrypt($0) }
  }

  fileprivate func decrypt(_ bytes: inout [UInt8]) throws {
    try bytes.withUnsafeMutableBytes { try decrypt($0) }
  }
}
