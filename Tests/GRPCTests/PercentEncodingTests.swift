import GRPC
import Testing

@Suite struct `Percent-encoding of a message` {
  // G-067
  @Test(arguments: [
    ("", ""), ("plain text ~", "plain text ~"), ("100 %", "100 %25"), ("a\r\nb\0", "a%0D%0Ab%00"),
    ("é", "%C3%A9"), ("\u{7F}", "%7F"), ("⚡", "%E2%9A%A1"), ("🔌", "%F0%9F%94%8C"),
  ])
  func `keeps printable ASCII and goes both ways`(text: String, encoded: String) {
    var bytes: [UInt8] = []
    PercentEncoding.append(text, to: &bytes)
    #expect(latin1(bytes) == encoded)
    #expect(bytes.withUnsafeBytes { PercentEncoding.decode($0) } == text)
  }

  // G-075
  @Test(arguments: [
    (0, ""), (1, "a"), (2, "a"), (9, "a"), (10, "a%E2%9A%A1"), (11, "a%E2%9A%A1b"), (99, "a%E2%9A%A1b"),
  ])
  func `is cut between characters`(maximum: Int, encoded: String) {
    var bytes: [UInt8] = [1]
    PercentEncoding.append("a⚡b", to: &bytes, maximum: maximum)
    #expect(latin1(bytes.dropFirst()) == encoded)
  }

  @Test(arguments: ["%", "%4", "%zz", "a%", "%%41"])
  func `takes a wrong encoding as it stands`(text: String) {
    let expected = text == "%%41" ? "%A" : text
    #expect(withBytes(text) { PercentEncoding.decode($0) } == expected)
  }
}
