import Cryptography
import Testing

@Suite struct `Base64url text` {
  struct Vector: Sendable {
    let bytes: [UInt8]
    let text: String
  }

  // RFC 4648 §10 without padding, and the two characters that differ from plain base 64.
  @Test(arguments: [
    Vector(bytes: [], text: ""), Vector(bytes: Array("f".utf8), text: "Zg"),
    Vector(bytes: Array("fo".utf8), text: "Zm8"), Vector(bytes: Array("foo".utf8), text: "Zm9v"),
    Vector(bytes: Array("foob".utf8), text: "Zm9vYg"), Vector(bytes: Array("fooba".utf8), text: "Zm9vYmE"),
    Vector(bytes: Array("foobar".utf8), text: "Zm9vYmFy"), Vector(bytes: [0xfb, 0xff, 0xbf], text: "-_-_"),
  ])
  func `agrees with RFC 4648`(vector: Vector) {
    #expect(Base64URL.text(of: vector.bytes) == vector.text)
    #expect(Base64URL.bytes(of: vector.text) == vector.bytes)
  }

  @Test(arguments: ["Z", "Zh", "Zm9", "Zg==", "Zm+v", "Zm/v", "Zm 9v", "Zm9v\n", "Zm9é"])
  func `is refused where no bytes have it`(text: String) {
    #expect(Base64URL.bytes(of: text) == nil)
  }

  @Test(arguments: 0..<70)
  func `comes back as the bytes it was made of`(count: Int) throws {
    let bytes = try SecureRandom.bytes(count)
    #expect(Base64URL.bytes(of: Base64URL.text(of: bytes)) == bytes)
  }

  @Test func `of 32 bytes has 43 characters`() throws {
    #expect(Base64URL.text(of: try SecureRandom.bytes(32)).utf8.count == 43)
  }
}

@Suite struct `Secrets` {
  @Test func `are equal where every byte is`() {
    #expect(ConstantTime.areEqual([], []))
    #expect(ConstantTime.areEqual([1, 2, 3], [1, 2, 3]))
    #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2, 4]))
    #expect(!ConstantTime.areEqual([0, 2, 3], [1, 2, 3]))
    #expect(!ConstantTime.areEqual([1, 2], [1, 2, 3]))
    #expect(!ConstantTime.areEqual([], [0]))
  }

  @Test func `do not repeat`() throws {
    let drawn = try (0..<1000).map { _ in try SecureRandom.bytes(16) }
    #expect(Set(drawn).count == 1000)
  }
}
