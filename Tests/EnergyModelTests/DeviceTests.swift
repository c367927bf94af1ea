import EnergyModel
import FoundationEssentials
import Testing

@Suite struct `A device id` {
  @Test(arguments: ["a", "Z9", "0", "John's EV-2 charger", "a--b", String(repeating: "x", count: 64)])
  func `is letters and digits, within it also space, hyphen and apostrophe`(text: String) {
    #expect(DeviceID(text)?.text == text)
  }

  @Test(arguments: [
    "", " a", "a ", "-a", "a-", "'a", "a'", "a_b", "a.b", "a/b", "a\nb", "a\0b", "ä", "a’b", "🚗",
    String(repeating: "x", count: 65),
  ])
  func `is refused otherwise`(text: String) {
    #expect(DeviceID(text) == nil)
  }

  @Test func `is the same from bytes as from text`() {
    for text in ["EV 1", " EV 1", "EV_1", "ÉV"] {
      let fromBytes = Array(text.utf8).withUnsafeBytes { DeviceID($0) }
      #expect(fromBytes == DeviceID(text))
    }
  }

  @Test func `is refused where bytes are no text`() {
    #expect([UInt8(ascii: "a"), 0xFF, UInt8(ascii: "b")].withUnsafeBytes { DeviceID($0) } == nil)
  }
}

@Suite struct `A device name` {
  private func sanitised(_ name: String) -> String { DeviceName.sanitised(name, fallback: "id-1") }

  @Test(arguments: ["Wallbox", "John’s EV (garage) #2", "Größe £5", "車", "👨‍👩‍👧 car", "e\u{301}"])
  func `stays as it is where every character is allowed`(name: String) {
    #expect(sanitised(name) == name)
  }

  @Test(arguments: [
    ("a\u{0}b", "a b"), ("a\n\t b", "a b"), ("  a   b  ", "a b"), ("a\u{200B}b", "a b"), ("a\u{2028}b", "a b"),
    ("\u{E000}a", "a"), ("a\u{7}", "a"), ("a\u{00A0}b", "a b"), ("a  b", "a b"), (" a", "a"), ("a ", "a"),
    ("a\u{7F}b", "a b"),
  ])
  func `has forbidden characters as single spaces`(name: String, expected: String) {
    #expect(sanitised(name) == expected)
  }

  @Test(arguments: ["", "   ", "\n", "\u{0}\u{1}"])
  func `is the id where nothing is left`(name: String) {
    #expect(sanitised(name) == "id-1")
  }

  @Test func `is cut at 250 UTF-16 units, never within a character`() {
    #expect(sanitised(String(repeating: "x", count: 300)) == String(repeating: "x", count: 250))
    #expect(sanitised(String(repeating: "x", count: 249) + "🚗") == String(repeating: "x", count: 249))
    #expect(sanitised(String(repeating: "x", count: 248) + "🚗!").utf16.count == 250)
    #expect(sanitised(String(repeating: "x", count: 249) + " y") == String(repeating: "x", count: 249))
  }

  @Test func `of a device is always valid`() throws {
    let id = try #require(DeviceID("ev-1"))
    #expect(ElectricalLoadDevice(id: id, name: "\u{0}", type: .hvac).name == "ev-1")
    #expect(DeviceIdentity(id: id, name: nil).name == nil)
    #expect(DeviceIdentity(id: id, name: " car ").name == "car")
  }
}
