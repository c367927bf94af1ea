import EnergyModel
import EnergyService
import ServiceTestSupport
import Testing

@Suite struct `An API key` {
  @Test func `is ek_ and 43 characters, new each time`() throws {
    let keys = try (0..<100).map { _ in try APIKey.make().text }
    for key in keys {
      #expect(key.utf8.count == 46)
      #expect(key.hasPrefix("ek_"))
      #expect(APIKey(key)?.text == key)
    }
    #expect(Set(keys).count == 100)
  }

  @Test(arguments: [
    "", "ek_", "sk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "ek_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "ek_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+", "ek_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB",
    "ek_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  ])
  func `is refused where no server made it`(text: String) {
    #expect(APIKey(text) == nil)
  }

  @Test func `hashes to the SHA-256 of its text`() throws {
    let key = try #require(APIKey("ek_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"))
    let hex = key.hash.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(hex == "3bfd89ef6013383c12e83d4310d4dc3603990dc79d9e335f1dd3b42459393e80")
    #expect(withBytes(key.text) { KeyHash(of: $0) } == key.hash)
    #expect(try APIKey.make().hash != key.hash)
  }

  @Test(
    arguments: [
      ("Bearer ek_x", "ek_x"), ("bearer ek_x", "ek_x"), ("BEARER   ek_x", "ek_x"), ("Bearer ", nil), ("Bearer", nil),
      ("Basic ek_x", nil), ("", nil), ("ek_x", nil), ("Bearerek_x", nil), ("Bearer  ", ""),
    ] as [(String, String?)])
  func `is found behind its scheme`(value: String, key: String?) {
    let found = withBytes(value) { APIKey.bearerKey(in: $0).map { String(decoding: $0, as: UTF8.self) } }
    #expect(found == key)
  }
}

@Suite struct `The admin key` {
  @Test func `matches itself alone`() throws {
    let key = try #require(AdminKey("secret"))
    #expect(withBytes("secret") { key.matches($0) })
    for wrong in ["", "secre", "secrets", "Secret", "sfcret"] {
      #expect(withBytes(wrong) { !key.matches($0) })
    }
  }

  @Test func `is never empty`() {
    #expect(AdminKey("") == nil)
  }
}
