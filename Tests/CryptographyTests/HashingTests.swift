import Cryptography
import Testing

@Suite struct `A SHA-256 hash` {
  struct Vector: Sendable {
    let message: String
    let digest: String
  }

  @Test(arguments: [
    Vector(message: "", digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    Vector(message: "abc", digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    Vector(
      message: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      digest: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
  ])
  func `agrees with FIPS 180-4`(vector: Vector) {
    #expect(SHA256.hash(Array(vector.message.utf8)) == hex(vector.digest))
  }
}

@Suite struct `An HMAC-SHA256 code` {
  struct Vector: Sendable {
    let key: [UInt8]
    let message: [UInt8]
    let code: String
  }

  // RFC 4231 §4.2, 4.3, 4.4, 4.7.
  @Test(arguments: [
    Vector(
      key: [UInt8](repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Vector(
      key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Vector(
      key: [UInt8](repeating: 0xaa, count: 20), message: [UInt8](repeating: 0xdd, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Vector(
      key: [UInt8](repeating: 0xaa, count: 131),
      message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Vector(
      key: [], message: [], code: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
  ])
  func `agrees with RFC 4231`(vector: Vector) throws {
    let mac = try HMACSHA256(key: vector.key)
    #expect(try mac.code(for: vector.message) == hex(vector.code))
    #expect(try mac.code(for: vector.message) == hex(vector.code), "the key is good for more than one code")
  }

  @Test func `is the same from eight tasks at once`() async throws {
    let mac = try HMACSHA256(key: [1, 2, 3])
    let expected = try mac.code(for: [4, 5])
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask { (0..<500).allSatisfy { _ in (try? mac.code(for: [4, 5])) == expected } }
      }
      for await isRight in group { #expect(isRight) }
    }
  }
}

@Suite struct `A key derived by HKDF-SHA256` {
  struct Vector: Sendable {
    let secret: [UInt8]
    let salt: [UInt8]
    let info: [UInt8]
    let key: String
  }

  // RFC 5869 appendix A.1, A.2, A.3.
  @Test(arguments: [
    Vector(
      secret: [UInt8](repeating: 0x0b, count: 22), salt: Array(0x00...0x0c), info: Array(0xf0...0xf9),
      key: """
        3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865
        """),
    Vector(
      secret: Array(0x00...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff),
      key: """
        b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c
        59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71
        cc30c58179ec3e87c14c01d5c1f3434f1d87
        """),
    Vector(
      secret: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [],
      key: """
        8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8
        """),
  ])
  func `agrees with RFC 5869`(vector: Vector) throws {
    let expected = hex(vector.key)
    let key = try HKDFSHA256.derive(
      secret: vector.secret, salt: vector.salt, info: vector.info, byteCount: expected.count)
    #expect(key == expected)
  }

  @Test func `has at most 255 blocks`() throws {
    #expect(try HKDFSHA256.derive(secret: [1], info: [], byteCount: 255 * 32).count == 8160)
    #expect(throws: CryptographyError.self) { try HKDFSHA256.derive(secret: [1], info: [], byteCount: 255 * 32 + 1) }
  }
}
