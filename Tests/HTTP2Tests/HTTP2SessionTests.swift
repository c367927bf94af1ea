import HTTP2
import Testing

/// A server that has taken a client's preface and SETTINGS, written by hand.
private func server(
  settings: HTTP2Settings = HTTP2Settings(), clientSettings: [(id: UInt16, value: UInt32)] = []
) throws -> Peer {
  let server = try Peer(.server, settings: settings)
  try server.receive(Frame.preface + Frame.settings(clientSettings).encoded + Frame.settingsAcknowledgement.encoded)
  _ = try server.output()
  return server
}

@Suite struct `An HTTP/2 connection` {
  // G-001, G-017, G-018
  @Test func `begins with the server's SETTINGS, which announce its limits`() throws {
    let server = try Peer(.server)
    let frames = Frame.all(in: try server.output())
    let first = try #require(frames.first)
    #expect(first.type == 4 && first.flags == 0 && first.streamID == 0)
    var announced: [UInt16: UInt32] = [:]
    for entry in stride(from: 0, to: first.payload.count, by: 6) {
      let id = UInt16(first.payload[entry]) << 8 | UInt16(first.payload[entry + 1])
      announced[id] = first.payload[(entry + 2)..<(entry + 6)].reduce(0) { $0 << 8 | UInt32($1) }
    }
    #expect(announced == [3: 1_000, 4: 65_536, 6: 16_384, 9: 1])
    let window = frames.filter { $0.type == 8 && $0.streamID == 0 }.map(\.number).reduce(65_535, +)
    #expect(window == 1 << 20)
  }

  // G-001
  @Test func `may be cut anywhere`() throws {
    let client = try Peer(.client)
    client.request(body: Array("hello".utf8))
    let bytes = try client.output()
    for cut in 0...bytes.count {
      let server = try Peer(.server)
      try server.receive(bytes[..<cut])
      try server.receive(bytes[cut...])
      #expect(server.streams[1]?.received == Array("hello".utf8), "cut at \(cut)")
      #expect(server.streams[1]?.endCount == 1)
    }
  }

  // G-001
  @Test func `may come a byte at a time`() throws {
    let client = try Peer(.client)
    client.request(body: Array("hello".utf8))
    let server = try Peer(.server)
    for byte in try client.output() { try server.receive([byte]) }
    #expect(server.streams[1]?.received == Array("hello".utf8))
    #expect(server.streams[1]?.endCount == 1)
    #expect(server.settingsCount == 1)
  }

  // G-003
  @Test(arguments: ["GET / HTTP/1.1\r\n", "X", "\u{16}\u{3}\u{1}", "PRI * HTTP/1.1\r\n"])
  func `ends at the first wrong byte of the preface`(junk: String) throws {
    let server = try Peer(.server)
    let error = #expect(throws: HTTP2Error.self) { try server.receive(Array(junk.utf8)) }
    #expect(error?.isBadPreface == true)
  }

  @Test func `sends the same bytes whatever the size of the buffer they are pulled into`() throws {
    func output(pieceByteCount: Int) throws -> [UInt8] {
      let server = try server(clientSettings: [(4, 1 << 20)])
      server.respond = { $0.answer($1, body: (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }) }
      try server.receive(Frame.headers(Frame.request, streamID: 1, ends: true).encoded)
      return try server.output(pieceByteCount: pieceByteCount)
    }
    let whole = try output(pieceByteCount: 1 << 20)
    for size in [1, 7, 4_096, 16_393] { #expect(try output(pieceByteCount: size) == whole) }
  }

  // G-008
  @Test func `answers a PING with its payload`() throws {
    let server = try server()
    try server.receive(Frame.ping(0x0102_0304_0506_0708).encoded)
    #expect(Frame.all(in: try server.output()) == [Frame(type: 6, flags: 1, payload: [1, 2, 3, 4, 5, 6, 7, 8])])
  }

  @Test func `tells of the answer to its own PING`() throws {
    let client = try Peer(.client)
    let server = try Peer(.server)
    server.session.submitPing(42)
    try exchange(client, server)
    #expect(server.pings == [42])
  }

  // G-005
  @Test func `ignores unknown frames, settings and flags`() throws {
    let server = try server()
    server.respond = { $0.answer($1, body: []) }
    try server.receive(
      [
        Frame(type: 0xEE, flags: 0xFF, streamID: 7, payload: [1, 2, 3]), .settings([(0x7777, 9)]),
        Frame(type: 1, flags: 0xD5 & ~0x28, streamID: 1, payload: Frame.request),
      ].encoded)
    #expect(server.streams[1]?.fields[":path"] == "/a.B/C")
    #expect(!server.session.isFinished)
  }

  // G-046, G-153
  @Test func `is ended for a header list far too large`() throws {
    let server = try server()
    server.headerListLimit = 200
    let fields = (0..<20).map { ("x-\($0)", String(repeating: "y", count: 100)) }
    let block = Frame.request + Frame.block(fields)
    #expect(throws: HTTP2Error.self) {
      try server.receive(Frame.headers(block, streamID: 1, ends: true).encoded)
    }
    let last = try #require(Frame.all(in: try server.output()).last)
    #expect(last.type == 7 && Array(last.payload[4..<8]) == [0, 0, 0, 11])
  }

  // G-100
  @Test func `is drained by two GOAWAYs, between which calls on their way are served`() throws {
    let client = try Peer(.client)
    let server = try Peer(.server)
    server.respond = { $0.answer($1, body: Array("late".utf8)) }
    try exchange(client, server)
    server.session.submitShutdownNotice()
    let notice = try server.output()
    // The request leaves before the notice arrives.
    let request = client.request()
    let crossing = try client.output()
    try client.receive(notice)
    try server.receive(crossing)
    #expect(client.goAways.last?.lastStreamID == .max)
    server.session.submitGoAway()
    try exchange(client, server)
    #expect(client.goAways.last?.lastStreamID == 1)
    #expect(request.received == Array("late".utf8) && request.closeCode == .noError)
    #expect(client.session.isFinished && server.session.isFinished)
  }

  // G-100
  @Test func `takes no stream after the second GOAWAY`() throws {
    let server = try server()
    server.session.submitGoAway()
    _ = try server.output()
    try server.receive(Frame.headers(Frame.request, streamID: 1, ends: true).encoded)
    #expect(server.streams.isEmpty)
  }

  @Test func `lets go of every context when it is closed`() throws {
    weak var context: TestStream?
    let server = try server()
    try server.receive(Frame.headers(Frame.request, streamID: 1, ends: false).encoded)
    context = server.streams[1]
    server.streams = [:]
    #expect(context != nil)
    #expect(server.session.close().count == 1)
    #expect(context == nil)
    #expect(server.session.isFinished)
    try server.receive([1, 2, 3])
    #expect(try server.output().isEmpty)
  }
}
