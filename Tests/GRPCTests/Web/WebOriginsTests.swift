import GRPC
import Testing

@Suite struct `The origins of pages` {
  // G-133
  @Test(arguments: [
    "https://app.example.com", "http://localhost:8080", "https://127.0.0.1", "https://[::1]:8443", "https://[::1]",
    "capacitor://localhost", "*",
  ])
  func `are taken as browsers write them`(text: String) throws {
    let origins = try WebOrigins([text])
    #expect(!origins.isEmpty)
    #expect(text == "*" || origins.allow(text.utf8))
  }

  @Test(arguments: [
    "", "app.example.com", "https://", "https://a.example/", "https://a.example/page", "HTTPS://a.example",
    "https://A.example",
    "https://a.example:", "https://a.example:0", "https://a.example:65536", "https://u@a.example", "null",
    "https://*.example",
    "https://a b", "https://[::1", "https://[]", "://a",
  ])
  func `are refused where no browser writes them so`(text: String) {
    #expect(throws: WebOrigins.Fault.malformed(text)) { try WebOrigins([text]) }
  }

  // G-133
  @Test func `are compared as a whole`() throws {
    let origins = try WebOrigins(["https://a.example", "https://b.example:1"])
    for (origin, isAllowed) in [
      ("https://a.example", true), ("https://b.example:1", true), ("http://a.example", false),
      ("https://b.example", false),
      ("https://a.example.evil", false), ("https://a.exampl", false), ("", false), ("null", false), ("*", false),
    ] {
      #expect(origins.allow(origin.utf8) == isAllowed, "\(origin)")
    }
  }

  @Test func `are all by a star and none by default`() throws {
    #expect(try WebOrigins(["*"]).allow("null".utf8))
    #expect(WebOrigins.none.isEmpty)
    #expect(!WebOrigins.none.allow("https://a.example".utf8))
  }
}
