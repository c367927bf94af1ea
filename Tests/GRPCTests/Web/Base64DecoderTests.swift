import GRPC
import Testing

@Suite struct `Base64 that comes in pieces` {
  // G-132
  @Test(arguments: [
    ("", ""), ("YQ==", "a"), ("YWI=", "ab"), ("YWJj", "abc"), ("YQ==YWI=YWJj", "aababc"), ("YWJjZA==", "abcd"),
    ("+/+/", "\u{FB}\u{FF}\u{BF}"),
  ])
  func `is read however it is cut`(text: String, bytes: String) throws {
    let text = Array(text.utf8)
    for first in 0...text.count {
      for second in first...text.count {
        var decoder = Base64Decoder()
        var found: [UInt8] = []
        for piece in [text[..<first], text[first..<second], text[second...]] {
          found += try decode(Array(piece), by: &decoder)
        }
        #expect(found == bytes.unicodeScalars.map { UInt8($0.value) })
        #expect(decoder.isAtBoundary)
      }
    }
  }

  // G-132
  @Test func `comes back from what was written, in padded texts of any lengths`() throws {
    var random = SystemRandomNumberGenerator()
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      var text: [UInt8] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(Int.random(in: 1...40, using: &random)))
        text += encode(piece)
        rest = rest.dropFirst(piece.count)
      }
      var decoder = Base64Decoder()
      #expect(try decode(text, by: &decoder) == bytes)
      #expect(decoder.isAtBoundary)
    }
  }

  @Test(arguments: ["=", "Y=", "YQ=Q", "YQ==Y=", "YQ===", "Y Q=", "YQ-_", "YQ==\n", "\u{0}"])
  func `is refused where it is none`(text: String) {
    var decoder = Base64Decoder()
    #expect(throws: Base64Decoder.Fault.self) { try decode(Array(text.utf8), by: &decoder) }
  }

  @Test(arguments: ["Y", "YQ", "YQ=", "YWJ", "YWJjZ"])
  func `knows that a part is missing`(text: String) throws {
    var decoder = Base64Decoder()
    _ = try decode(Array(text.utf8), by: &decoder)
    #expect(!decoder.isAtBoundary)
  }

  private func decode(_ text: [UInt8], by decoder: inout Base64Decoder) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: decoder.maximumByteCount(of: text.count))
    let count = try bytes.withUnsafeMutableBytes { buffer in
      try text.withUnsafeBytes { try decoder.decode($0, into: buffer) }
    }
    return Array(bytes[..<count])
  }

  private func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text = [UInt8](repeating: 0, count: Base64.paddedByteCount(bytes.count))
    text.withUnsafeMutableBytes { buffer in bytes.withUnsafeBytes { Base64.encode($0, into: buffer) } }
    return text
  }
}
