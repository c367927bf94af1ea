import HTTP2
import Testing

private func server(
  settings: HTTP2Settings = HTTP2Settings(), clientSettings: [(id: UInt16, value: UInt32)] = []
) throws -> Peer {
  let server = try Peer(.server, settings: settings)
  try server.receive(Frame.preface + Frame.settings(clientSettings).encoded + Frame.settingsAcknowledgement.encoded)
  _ = try server.output()
  return server
}

@Suite struct `An HTTP/2 stream` {
  // G-065
  @Test func `carries a request, a response and trailers`() throws {
    let client = try Peer(.client)
    let server = try Peer(.server)
    server.respond = { $0.answer($1, body: Array("pong".utf8)) }
    let request = client.request(body: Array("ping".utf8))
    try exchange(client, server)
    #expect(server.streams[1]?.fields[":path"] == "/a.B/C")
    #expect(server.streams[1]?.received == Array("ping".utf8))
    #expect(request.fields == [":status": "200"])
    #expect(request.received == Array("pong".utf8))
    #expect(request.trailers == ["grpc-status": "0"])
    #expect(request.closeCode == .noError && server.streams[1]?.closeCode == .noError)
  }

  // G-068
  @Test func `may be answered by headers alone`() throws {
    let client = try Peer(.client)
    let server = try Peer(.server)
    server.respond = { server, stream in
      server.session.addField(":status", "200")
      server.session.addField("grpc-status", "12")
      server.session.submitHeaders(streamID: stream.id, endsStream: true)
    }
    let request = client.request()
    try exchange(client, server)
    #expect(request.fields == [":status": "200", "grpc-status": "12"] && request.endCount == 1)
  }

  @Test func `sends no empty DATA before trailers`() throws {
    let server = try server()
    server.respond = { $0.answer($1, body: []) }
    try server.receive(Frame.headers(Frame.request, streamID: 1, ends: true).encoded)
    #expect(Frame.all(in: try server.output()).map(\.type) == [1, 1])
  }

  // G-014
  @Test(arguments: 1...4) func `takes headers split over CONTINUATION`(partCount: Int) throws {
    let server = try server()
    let size = (Frame.request.count + partCount) / (partCount + 1)
    let parts = stride(from: 0, to: Frame.request.count, by: size).map {
      Array(Frame.request[$0..<min($0 + size, Frame.request.count)])
    }
    var frames = [Frame.headers(parts[0], streamID: 1, ends: true, endsHeaders: false)]
    for (index, part) in parts.enumerated().dropFirst() {
      frames.append(.continuation(part, streamID: 1, endsHeaders: index == parts.count - 1))
    }
    try server.receive(frames.encoded)
    #expect(server.streams[1]?.fields[":path"] == "/a.B/C")
    #expect(server.streams[1]?.endCount == 1)
  }

  // G-049
  @Test func `may end its request with trailing headers`() throws {
    let server = try server()
    try server.receive(
      [
        Frame.headers(Frame.request, streamID: 1, ends: false), .data([1, 2], streamID: 1),
        .headers(Frame.block([("x", "y")]), streamID: 1, ends: true),
      ].encoded)
    #expect(server.streams[1]?.received == [1, 2])
    #expect(server.streams[1]?.trailers == ["x": "y"])
    #expect(server.streams[1]?.endCount == 1)
  }

  // G-072
  @Test func `has the client told to stop when its answer ends before the request`() throws {
    let server = try server()
    server.respond = { $0.answer($1, body: []) }
    try server.receive(Frame.headers(Frame.request, streamID: 1, ends: false).encoded)
    let frames = Frame.all(in: try server.output())
    #expect(frames.map(\.type) == [1, 1, 3])
    #expect(frames.last?.number == 0)
    #expect(server.streams[1]?.closeCode == .noError)
    #expect(server.session.streamCount == 0)
  }

  // G-021
  @Test(arguments: [0, 2, 8] as [UInt32]) func `is freed by a reset of any code`(code: UInt32) throws {
    let server = try server()
    try server.receive(
      [.headers(Frame.request, streamID: 1, ends: false), .reset(streamID: 1, code: code)].encoded)
    #expect(server.streams[1]?.closeCode == HTTP2ErrorCode(rawValue: code))
    #expect(server.session.streamCount == 0)
  }

  // G-017
  @Test(arguments: [(false, 6), (true, 3)])
  func `above the number served is refused alone`(acknowledges: Bool, served: Int) throws {
    var settings = HTTP2Settings()
    settings.maximumStreamCount = 3
    let server = try Peer(.server, settings: settings)
    try server.receive(Frame.preface + Frame.settings().encoded)
    if acknowledges { try server.receive(Frame.settingsAcknowledgement.encoded) }
    _ = try server.output()
    let ids = (0..<UInt32(served) + 2).map { 2 * $0 + 1 }
    for id in ids { try server.receive(Frame.headers(Frame.request, streamID: id, ends: false).encoded) }
    #expect(server.streams.keys.sorted() == ids.prefix(served).map { Int32($0) })
    #expect(Frame.all(in: try server.output()) == ids.suffix(2).map { .reset(streamID: $0, code: 7) })
    try server.receive(
      [.reset(streamID: 1, code: 8), .headers(Frame.request, streamID: 17, ends: true)].encoded)
    #expect(server.streams[17]?.fields[":path"] == "/a.B/C")
    #expect(!server.session.isFinished)
  }

  // G-017
  @Test func `above the number announced is refused while answers pile up for want of credit`() throws {
    var settings = HTTP2Settings()
    settings.maximumStreamCount = 3
    let server = try Peer(.server, settings: settings)
    server.respond = { $0.answer($1, body: [UInt8](repeating: 7, count: 70_000)) }
    try server.receive(Frame.preface + Frame.settings().encoded)
    try server.receive(Frame.headers(Frame.request, streamID: 1, ends: true).encoded)
    _ = try server.output()
    for id in [3, 5, 7] as [UInt32] {
      try server.receive(Frame.headers(Frame.request, streamID: id, ends: true).encoded)
    }
    #expect(server.streams.keys.sorted() == [1, 3, 5])
    #expect(Frame.all(in: try server.output()).contains(.reset(streamID: 7, code: 7)))
    #expect(!server.session.isFinished)
  }

  @Test func `leaves nothing behind, ten thousand times`() throws {
    let client = try Peer(.client)
    let server = try Peer(.server)
    client.keepsClosedStreams = false
    server.keepsClosedStreams = false
    server.respond = { $0.answer($1, body: [1, 2, 3]) }
    for _ in 0..<100 {
      for index in 0..<100 { client.request(body: [0], ends: index % 10 != 0) }
      try exchange(client, server)
    }
    #expect(server.session.streamCount == 0 && client.session.streamCount == 0)
    #expect(server.streams.isEmpty && client.streams.isEmpty)
  }
}

@Suite struct `Flow control` {
  // G-013, G-089
  @Test func `gives padding back`() throws {
    let server = try server()
    try server.receive(Frame.headers(Frame.request, streamID: 1, ends: false).encoded)
    var frames: [Frame] = []
    // 1.3 MB, most of it padding, in a connection window of 1 MiB and a stream window of 64 KiB.
    for _ in 0..<5_000 {
      try server.receive(Frame.paddedData([7], padding: 255, streamID: 1).encoded)
      frames += Frame.all(in: try server.output())
    }
    #expect(server.streams[1]?.received.count == 5_000)
    #expect(frames.allSatisfy { $0.type == 8 })
    let sent = 5_000 * 257
    #expect(frames.filter { $0.streamID == 1 }.map { Int($0.number) }.reduce(65_535, +) >= sent)
    #expect(frames.filter { $0.streamID == 0 }.map { Int($0.number) }.reduce(1 << 20, +) >= sent)
  }

  // G-092
  @Test func `gives the connection its credit though a stream keeps its own`() throws {
    let server = try server()
    server.consumesData = false
    var connectionCredit = 0
    for id in 0..<40 as Range<UInt32> {
      try server.receive(Frame.headers(Frame.request, streamID: 2 * id + 1, ends: false).encoded)
      for _ in 0..<3 {
        try server.receive(Frame.data([UInt8](repeating: 1, count: 16_384), streamID: 2 * id + 1).encoded)
      }
      for frame in Frame.all(in: try server.output()) {
        #expect(frame.type == 8 && frame.streamID == 0)
        connectionCredit += Int(frame.number)
      }
    }
    #expect(connectionCredit >= 40 * 3 * 16_384 - (1 << 19))
  }

  // G-089
  @Test func `gives the connection credit for data of streams that are gone`() throws {
    let server = try server()
    server.respond = { $0.answer($1, body: []) }
    var credit = 1 << 20
    for id in 0..<80 as Range<UInt32> {
      try server.receive(Frame.headers(Frame.request, streamID: 2 * id + 1, ends: false).encoded)
      for frame in Frame.all(in: try server.output()) where frame.type == 8 { credit += Int(frame.number) }
      try server.receive(Frame.data([UInt8](repeating: 1, count: 16_384), streamID: 2 * id + 1).encoded)
      credit -= 16_384
      for frame in Frame.all(in: try server.output()) where frame.type == 8 { credit += Int(frame.number) }
    }
    #expect(credit >= 1 << 19)
    #expect(!server.session.isFinished)
  }

  // G-092
  @Test func `is broken by data beyond the window`() throws {
    let server = try server()
    server.consumesData = false
    try server.receive(Frame.headers(Frame.request, streamID: 1, ends: false).encoded)
    for _ in 0..<8 {
      try server.receive(Frame.data([UInt8](repeating: 1, count: 16_384), streamID: 1).encoded)
    }
    let frames = Frame.all(in: try server.output()).filter { $0.type != 8 }
    #expect(frames == [.reset(streamID: 1, code: 3)])
    // nghttp2 hands out the frame that breaks the rule, nothing after it.
    #expect(server.streams[1]?.received.count == 5 * 16_384)
  }

  // G-022, G-088, G-094
  @Test func `follows a window changed in mid-connection, negative ones too`() throws {
    let server = try server(clientSettings: [(4, 10)])
    server.respond = { $0.answer($1, body: Array(0..<100)) }
    try server.receive(Frame.headers(Frame.request, streamID: 1, ends: true).encoded)
    func sent() throws -> Int {
      Frame.all(in: try server.output()).filter { $0.type == 0 }.map(\.payload.count).reduce(0, +)
    }
    #expect(try sent() == 10)
    try server.receive(Frame.settings([(4, 25)]).encoded)
    #expect(try sent() == 15)
    // Now at -20.
    try server.receive(Frame.settings([(4, 5)]).encoded)
    try server.receive(Frame.windowUpdate(streamID: 1, by: 20).encoded)
    #expect(try sent() == 0)
    try server.receive(Frame.windowUpdate(streamID: 1, by: 1).encoded)
    #expect(try sent() == 1)
    try server.receive(Frame.windowUpdate(streamID: 1, by: 1_000).encoded)
    #expect(try sent() == 74)
    #expect(server.streams[1]?.closeCode == .noError)
  }

  @Test func `lets a waiting stream go on when it has something to send`() throws {
    let client = try Peer(.client)
    let server = try Peer(.server)
    server.respond = { server, stream in
      server.session.addField(":status", "200")
      server.session.submitHeaders(streamID: stream.id, endsStream: false)
    }
    let request = client.request()
    try exchange(client, server)
    #expect(request.fields == [":status": "200"])
    let stream = try #require(server.streams[1])
    for round in 1...3 {
      stream.body = [UInt8(round)]
      server.session.submitBody(streamID: 1)
      try exchange(client, server)
      #expect(request.received == (1...round).map { UInt8($0) })
    }
    stream.trailersToSend = [("grpc-status", "0")]
    server.session.submitBody(streamID: 1)
    try exchange(client, server)
    #expect(request.trailers == ["grpc-status": "0"])
  }

  // G-093
  @Test func `lets streams that send a lot take turns`() throws {
    let server = try server(clientSettings: [(4, 1 << 20)])
    server.respond = { server, stream in
      server.answer(stream, body: [UInt8](repeating: 0, count: 1 << 18))
      server.session.shareFairly(streamID: stream.id)
    }
    for id in [1, 3] as [UInt32] { try server.receive(Frame.headers(Frame.request, streamID: id, ends: true).encoded) }
    try server.receive(Frame.windowUpdate(streamID: 0, by: 1 << 20).encoded)
    let order = Frame.all(in: try server.output()).filter { $0.type == 0 }.map(\.streamID)
    #expect(order.prefix(6) == [1, 3, 1, 3, 1, 3])
  }
}
