import AdminHTTP
import Testing

@Suite struct `Figures as text` {
  // G-137
  @Test func `have a family's head, then samples with labels`() {
    var text = MetricsText()
    text.family("calls_total", .counter, "Calls\nof \\ all.")
    text.sample("calls_total", ["method": "a\"b\\c\nd", "code": "OK"], UInt64.max)
    text.sample("calls_total", 1.5)
    #expect(
      text.text == """
        # HELP calls_total Calls\\nof \\\\ all.
        # TYPE calls_total counter
        calls_total{method="a\\"b\\\\c\\nd",code="OK"} 18446744073709551615
        calls_total 1.5

        """)
  }
}

@Suite struct `An address for figures` {
  @Test(arguments: [("127.0.0.1:9090", true), ("[::1]:0", true), ("0.0.0.0:80", false), ("[::]:80", false)])
  func `is numeric, with a port`(text: String, isLoopback: Bool) {
    let address = AdminAddress(text)
    #expect(address?.description == text)
    #expect(address?.isLoopback == isLoopback)
  }

  @Test(arguments: [
    "", "9090", "localhost:9090", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[::1:80", "[x]:1", ":80",
  ])
  func `is nothing else`(text: String) {
    #expect(AdminAddress(text) == nil)
  }
}
