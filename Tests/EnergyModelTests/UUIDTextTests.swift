import EnergyModel
import FoundationEssentials
import Testing

@Suite struct `A UUID's text` {
  @Test(arguments: [
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  ])
  func `comes back as it went in`(text: String) throws {
    let uuid = try #require(UUID(text: text))
    #expect(uuid.text == text)
    #expect(uuid.uuidString.lowercased() == text)
  }

  @Test func `is read in either case and given out in lower case`() throws {
    let uuid = try #require(UUID(text: "6BA7B810-9dad-11D1-80B4-00C04FD430C8"))
    #expect(uuid.text == "6ba7b810-9dad-11d1-80b4-00c04fd430c8")
  }

  @Test(arguments: [
    "", "6ba7b810", "6ba7b8109dad11d180b400c04fd430c8", "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c", "6ba7b810-9dad-11d1-80b4-00c04fd430c8 ",
    "6ba7b810-9dad-11d1-80b4-00c04fd430cg", "6ba7b810x9dad-11d1-80b4-00c04fd430c8",
    "6ba7b8-1009dad-11d1-80b4-00c04fd430c", "６ba7b810-9dad-11d1-80b4-00c04fd430",
  ])
  func `is refused when it is not 8-4-4-4-12 hexadecimal digits`(text: String) {
    #expect(UUID(text: text) == nil)
  }

  @Test func `is judged byte by byte`() {
    let text = Array("6ba7b810-9dad-11d1-80b4-00c04fd430c8".utf8)
    for place in text.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = text
        changed[place] = byte
        let isHyphenPlace = [8, 13, 18, 23].contains(place)
        let digit = byte < 0x80 ? Character(UnicodeScalar(byte)).hexDigitValue : nil
        let isValid = isHyphenPlace ? byte == UInt8(ascii: "-") : digit != nil
        let parsed = changed.withUnsafeBytes { UUID(text: $0) }
        #expect((parsed != nil) == isValid, "\(byte) at \(place)")
        if let parsed, let digit { #expect(Array(parsed.text.utf8)[place] == Array(String(digit, radix: 16).utf8)[0]) }
      }
    }
  }

  @Test(arguments: 0..<100)
  func `agrees with Foundation`(_: Int) throws {
    let uuid = UUID()
    #expect(UUID(text: uuid.uuidString) == uuid)
    #expect(uuid.text == uuid.uuidString.lowercased())
    #expect(UUID(high: uuid.high, low: uuid.low) == uuid)
  }
}
