import EnergyModel
import EnergyWire
import FoundationEssentials
import Testing

@Suite struct `A page token` {
  private func parse(_ text: String, in listing: PageToken.Listing = .venues) -> PageToken? {
    var copy = text
    return copy.withUTF8 { PageToken(text: UnsafeRawBufferPointer($0), in: listing) }
  }

  @Test(arguments: ["", "a", "ab", "abc", "Haus am Fluß", "🏠 \0", String(repeating: "x", count: 3000)])
  func `comes back as it was given out`(name: String) {
    let token = PageToken(name: name, id: UUID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210))
    let text = token.text(in: .venues)
    #expect(parse(text) == token)
    #expect(
      text.utf8.allSatisfy { UInt8(ascii: "+") != $0 && UInt8(ascii: "/") != $0 && $0 != UInt8(ascii: "=") })
  }

  @Test func `is refused when any of its characters is another`() {
    let text = Array(PageToken(name: "Home", id: UUID(high: 1, low: 2)).text(in: .venues))
    for place in text.indices {
      for other in "AbZ9-_=+/ ~" where other != text[place] {
        var changed = text
        changed[place] = other
        #expect(parse(String(changed)) == nil, "at \(place)")
      }
      #expect(parse(String(text[..<place])) == nil)
    }
    #expect(parse(String(text) + "A") == nil)
  }

  @Test func `means nothing in another listing`() {
    let (one, other) = (UUID(high: 1, low: 2), UUID(high: 3, low: 4))
    let listings: [PageToken.Listing] = [
      .venues, .clients, .venueSettings, .access(venueID: one, clientID: nil), .access(venueID: nil, clientID: one),
      .access(venueID: one, clientID: one), .access(venueID: other, clientID: nil),
    ]
    let token = PageToken(name: "Home", id: one)
    for given in listings {
      for asked in listings { #expect(parse(token.text(in: given), in: asked) == (given == asked ? token : nil)) }
    }
  }

  @Test(arguments: ["x", "AAAA", "é", "AQ", String(repeating: "A", count: 100_000)])
  func `is not garbage`(text: String) {
    #expect(parse(text) == nil)
  }
}
