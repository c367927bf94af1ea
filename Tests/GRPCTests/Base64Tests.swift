import GRPC
import Testing

@Suite struct `Base64 text` {
  // G-043
  @Test(arguments: [
    ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
    ("foobar", "Zm9vYmFy"),
  ])
  func `is written without padding and read with or without`(plain: String, encoded: String) {
    let bytes = Array(plain.utf8)
    var text: [UInt8] = []
    Base64.append(bytes, to: &text)
    #expect(latin1(text) == encoded)
    #expect(text.count == Base64.encodedByteCount(bytes.count))
    #expect(Base64.decode(text) == bytes)
    let padding = Array(repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
    #expect(Base64.decode(text + padding) == bytes)
  }

  // G-043
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `goes both ways for any bytes`(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let bytes = (0..<Int(seed)).map { _ in UInt8.random(in: 0...255, using: &random) }
    var text: [UInt8] = []
    Base64.append(bytes, to: &text)
    #expect(Base64.decode(text) == bytes)
  }

  // G-043
  @Test(arguments: ["Z", "Zm9vY", "Zg=", "Zg===", "=", "====", "Z=g=", "Zm-v", "Zm_v", "Zm 9v", "Zm9v\n", "é"])
  func `is refused where it is malformed`(text: String) {
    #expect(Base64.decode(Array(text.utf8)) == nil)
  }
}
