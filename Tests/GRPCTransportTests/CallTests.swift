import GRPC
import HTTP2
import TestSupport
import Testing

@Suite struct `A call` {
  // G-050, G-065, G-066
  @Test(arguments: [0, 1, 100, 16_379, 16_384, 65_536, 300_000, 4 << 20])
  func `carries one message each way`(byteCount: Int) async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let message = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let outcome = try await client.call("/t.T/Echo", [message])
      #expect(outcome.headers == [":status": "200", "content-type": "application/grpc"])
      #expect(outcome.messages == [message])
      #expect(outcome.trailers == ["grpc-status": "0"])
      #expect(outcome.closeCode == 0)
    }
  }

  // G-061
  @Test(arguments: ["/t.T/Echo", "/t.T/Chat"])
  func `ends where its answer is too large, and says so`(path: String) async throws {
    var limits = CallLimits()
    limits.responseMessageBytes = 1_000
    try await withServer(limits: limits) { harness in
      let client = try await harness.client()
      let most = [UInt8](repeating: 7, count: 1_000)
      #expect(try await client.call(path, [most]).messages == [most])
      let outcome = try await client.call(path, [most + [7]])
      #expect(outcome.messages.isEmpty && outcome.status == "8")
      #expect(outcome.message == "answer of 1001 bytes is larger than the limit of 1000 bytes")
    }
  }

  @Test func `gives many messages for one`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let outcome = try await client.call("/t.T/Count", [[200]])
      #expect(outcome.messages == (0..<200).map { [$0] })
      #expect(outcome.status == "0")
    }
  }

  // G-068
  @Test func `may give no message at all`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let outcome = try await client.call("/t.T/Count", [[0]])
      #expect(outcome.messages.isEmpty && outcome.headers["grpc-status"] == "0")
    }
  }

  @Test func `takes many messages for one`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let outcome = try await client.call("/t.T/Sum", [[1, 2], [], [3], [UInt8](repeating: 9, count: 20_000)])
      #expect(outcome.messages == [Array("20003".utf8)])
      #expect(harness.record.halfCloses == 1)
    }
  }

  @Test func `may have no message from a client that could send many`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      #expect(try await client.call("/t.T/Sum", []).messages == [Array("0".utf8)])
    }
  }

  // G-085
  @Test func `may go to and fro until the client half-closes`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let id = try await client.open("/t.T/Chat", ends: false)
      for round in 1...5 as ClosedRange<UInt8> {
        try await client.send(id, TestClient.framed([round, round]))
        #expect(try await client.messages(id, count: Int(round)).last == [round, round])
      }
      try await client.send(id, [], ends: true)
      let outcome = try await client.finished(id)
      #expect(outcome.status == "0" && outcome.messages.count == 5)
      #expect(harness.record.ends == [.finished(.ok)])
    }
  }

  // G-050
  @Test(arguments: ["/t.T/Echo", "/t.T/Chat"])
  func `may come a byte at a time`(path: String) async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let id = try await client.open(path, ends: false)
      for byte in TestClient.framed([1, 2, 3, 4]) { try await client.send(id, [byte]) }
      try await client.send(id, [], ends: true)
      #expect(try await client.finished(id).messages == [[1, 2, 3, 4]])
    }
  }

  // G-050
  @Test func `may end in a frame of its own`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      var ids: [Int32] = []
      for index in 0..<20 as Range<UInt8> {
        ids.append(try await client.open("/t.T/Echo", body: TestClient.framed([index]), ends: false))
      }
      #expect(harness.record.callsMade == 0)
      for id in ids { try await client.send(id, [], ends: true) }
      for (index, id) in ids.enumerated() {
        #expect(try await client.finished(id).messages == [[UInt8(index)]])
      }
    }
  }

  @Test func `may be read together with others before it ends`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let bodies = (0..<20).map { TestClient.framed([$0, $0]) }
      let ids = try await client.openAtOnce("/t.T/Echo", bodies: bodies, ends: false)
      for id in ids { try await client.send(id, [], ends: true) }
      for (index, id) in ids.enumerated() {
        #expect(try await client.finished(id).messages == [[UInt8(index), UInt8(index)]])
      }
    }
  }

  // G-035
  @Test func `is answered in the content type it asks in`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let outcome = try await client.call(
        "/t.T/Echo", [[1]], fields: [("content-type", "application/grpc+proto; charset=utf-8")])
      #expect(outcome.headers["content-type"] == "application/grpc+proto" && outcome.status == "0")
    }
  }

  // G-067, G-068
  @Test func `that fails early is answered by trailers only`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let outcome = try await client.call("/t.T/Fail")
      #expect(
        outcome.headers == [
          ":status": "200", "content-type": "application/grpc", "grpc-status": "3", "grpc-message": "wrong: 100%25",
          "grpc-status-details-bin": "AQID",
        ])
      #expect(outcome.trailers.isEmpty && outcome.endsStream)
    }
  }

  // G-043
  @Test func `brings metadata and takes some back`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let outcome = try await client.call("/t.T/Meta", [[]], fields: [("x-a", "b"), ("x-b-bin", "AQI=")])
      #expect(outcome.headers["x-a"] == "b" && outcome.headers["x-b-bin"] == "AQI")
    }
  }

  // G-093
  @Test(arguments: [1, 100, 1_000]) func `is one of many at once`(count: Int) async throws {
    try await withServer { harness in
      let client = try await harness.client()
      var ids: [Int32] = []
      for index in 0..<count {
        ids.append(
          try await client.open("/t.T/Echo", body: TestClient.framed([UInt8(truncatingIfNeeded: index), 1, 2])))
      }
      for (index, id) in ids.enumerated() {
        #expect(try await client.finished(id).messages == [[UInt8(truncatingIfNeeded: index), 1, 2]])
      }
    }
  }
}

@Suite struct `A request` {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var path = "/t.T/Small"
    var body = TestClient.framed([1])
    var fields: [(String, String)] = []
    var status: String?
    var http = "200"
  }

  // G-030, G-031, G-034...037, G-039, G-046, G-051...053, G-056, G-058, G-059, G-069
  @Test(arguments: [
    Case(testDescription: "unknown method", path: "/t.T/Nothing", status: "12"),
    Case(testDescription: "unknown service", path: "/t.U/Echo", status: "12"),
    Case(testDescription: "no path to speak of", path: "/", status: "12"),
    Case(testDescription: "no message", body: [], status: "12"),
    Case(testDescription: "two messages", body: TestClient.framed([1]) + TestClient.framed([2]), status: "12"),
    Case(testDescription: "a message and a bit", body: TestClient.framed([1]) + [0], status: "12"),
    Case(testDescription: "half a prefix", body: [0, 0, 0], status: "13"),
    Case(testDescription: "half a message", body: TestClient.framed([1, 2, 3]).dropLast(), status: "13"),
    Case(testDescription: "half a message among many", path: "/t.T/Sum", body: [0, 0, 0, 0, 2, 1], status: "13"),
    Case(testDescription: "reserved flag", body: TestClient.framed([1], flag: 2), status: "13"),
    Case(testDescription: "compressed", body: TestClient.framed([1], flag: 1), status: "13"),
    Case(testDescription: "of the limit", body: TestClient.framed([UInt8](repeating: 1, count: 1_000)), status: "0"),
    Case(testDescription: "one too large", body: TestClient.framed([UInt8](repeating: 1, count: 1_001)), status: "8"),
    Case(testDescription: "4 GiB announced", body: [0, 0xFF, 0xFF, 0xFF, 0xFF], status: "8"),
    Case(testDescription: "unknown coding", fields: [("grpc-encoding", "zstd")], status: "12"),
    Case(testDescription: "identity", fields: [("grpc-encoding", "identity")], status: "0"),
    Case(testDescription: "bad timeout", fields: [("grpc-timeout", "1s")], status: "13"),
    Case(testDescription: "no time", fields: [("grpc-timeout", "0n")], status: "4"),
    Case(testDescription: "11 400 years", fields: [("grpc-timeout", "99999999H")], status: "0"),
    Case(testDescription: "te missing", fields: [("te", "")], status: "0"),
    Case(testDescription: "JSON", fields: [("content-type", "application/json")], status: nil, http: "415"),
    Case(testDescription: "no content type", fields: [("content-type", "")], status: nil, http: "415"),
    Case(testDescription: "GET", fields: [(":method", "GET")], status: nil, http: "405"),
    Case(testDescription: "headers too large", fields: [("x", String(repeating: "y", count: 17_000))], status: "8"),
  ])
  func `is judged`(wanted: Case) async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let id = try await client.open(wanted.path, body: wanted.body, fields: wanted.fields)
      let outcome = try await client.finished(id)
      #expect(outcome.status == wanted.status)
      #expect(outcome.headers[":status"] == wanted.http)
      #expect(outcome.closeCode == 0)
      // The connection has not suffered.
      #expect(try await client.call("/t.T/Echo", [[5]]).messages == [[5]])
    }
  }

  // G-059
  @Test func `of two messages is refused also where they come one by one`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let id = try await client.open("/t.T/Echo", body: TestClient.framed([1]), ends: false)
      try await Task.sleep(for: .milliseconds(20))
      try await client.send(id, TestClient.framed([2]))
      #expect(try await client.finished(id).status == "12")
      #expect(harness.record.callsMade == 0)
    }
  }

  // G-039
  @Test func `of an unknown coding is told which are known`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let outcome = try await client.call("/t.T/Echo", fields: [("grpc-encoding", "zstd")])
      #expect(outcome.headers["grpc-accept-encoding"] == "identity,gzip,deflate")
    }
  }

  // G-047, G-056
  @Test(
    arguments: [
      ("/t.T/Nothing", [], "12"), ("/t.T/Small", [0, 0, 0, 0x10, 0] as [UInt8], "8"), ("/t.T/Fail", [], nil),
    ] as [(String, [UInt8], String?)])
  func `is refused before its body has come`(path: String, start: [UInt8], status: String?) async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let id = try await client.open(path, body: start, ends: false)
      guard let status else {
        try await Task.sleep(for: .milliseconds(50))
        #expect(try await client.outcome(id).closeCode == nil)
        return
      }
      let outcome = try await client.finished(id)
      #expect(outcome.status == status)
      #expect(outcome.closeCode == 0)
    }
  }

  // G-069
  @Test(arguments: [("no", "16"), ("later-no", "16"), ("later-yes", "0"), ("yes", "0")])
  func `is admitted or not, at once or later`(word: String, status: String) async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let fields = [("authorization", word)]
      let outcome = try await client.call("/t.T/Caller", fields: fields)
      #expect(outcome.status == status)
      #expect(outcome.messages == (status == "0" ? [Array("yes".utf8)] : []))
      let sum = try await client.call("/t.T/Sum", [[1], [2, 3]], fields: fields)
      #expect(sum.messages == (status == "0" ? [Array("3".utf8)] : []))
      let large = try await client.call("/t.T/Echo", [[UInt8](repeating: 1, count: 200_000)], fields: fields)
      #expect(large.status == status)
    }
  }
}

@Suite struct `The end of a call` {
  // G-038, G-086
  @Test func `comes with its deadline`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let outcome = try await client.call("/t.T/Never", fields: [("grpc-timeout", "60m")])
      #expect(outcome.status == "4")
      #expect(harness.record.ends == [.deadlineExceeded])
    }
  }

  // G-038
  @Test func `comes with its deadline while the request is still coming`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let id = try await client.open("/t.T/Echo", body: [0, 0], ends: false, fields: [("grpc-timeout", "60m")])
      #expect(try await client.finished(id).status == "4")
    }
  }

  // G-038, G-086
  @Test func `comes as a reset where the answer is stuck at the deadline`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      try await client.setTakes(false)
      let id = try await client.open(
        "/t.T/Flood", body: TestClient.framed([100]), fields: [("grpc-timeout", "200m")])
      let outcome = try await client.finished(id)
      #expect(outcome.closeCode == 8 && outcome.status == nil)
      #expect(harness.record.ends == [.deadlineExceeded])
    }
  }

  // G-038
  @Test func `keeps deadlines in order`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      var ids: [Int32] = []
      for index in 0..<50 {
        let milliseconds = index < 10 ? 60_000 : 1_000 + index * 17 % 50
        let fields = [("grpc-timeout", "\(milliseconds)m")]
        ids.append(try await client.open("/t.T/Never", body: TestClient.framed([]), fields: fields))
      }
      for id in ids.prefix(10) { try await client.cancel(id) }
      for id in ids.dropFirst(10) { #expect(try await client.finished(id).status == "4") }
      _ = try await eventually { harness.record.ends.count == 50 ? true : nil }
      #expect(harness.record.ends.filter { $0 == .deadlineExceeded }.count == 40)
    }
  }

  // G-021, G-086
  @Test(arguments: [0, 8] as [UInt32], ["/t.T/Never", "/t.T/Open", "/t.T/Chat"])
  func `comes with the client's reset`(code: UInt32, path: String) async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let id = try await client.open(path, body: TestClient.framed([]), ends: path != "/t.T/Chat")
      try await Task.sleep(for: .milliseconds(20))
      try await client.cancel(id, code: code)
      _ = try await eventually { harness.record.ends.isEmpty ? nil : true }
      #expect(harness.record.ends == [.cancelled(errorCode: code)])
    }
  }

  @Test func `leaves nothing of the call behind, whatever time it had left`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let fields = [("grpc-timeout", "1H")]
      let id = try await client.open("/t.T/Never", body: TestClient.framed([]), fields: fields)
      _ = try await eventually { harness.record.callsMade == 1 ? true : nil }
      try await client.cancel(id)
      let broadcasts = harness.broadcasts
      _ = try await eventually {
        try await harness.loop.run { broadcasts.calls.count == 1 && broadcasts.calls[0].call == nil } ? true : nil
      }
    }
  }

  // G-086
  @Test func `comes with the connection`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      for path in ["/t.T/Never", "/t.T/Open", "/t.T/Subscribe"] {
        try await client.open(path, body: TestClient.framed([]))
      }
      try await Task.sleep(for: .milliseconds(20))
      try await client.close()
      _ = try await eventually { harness.record.ends.count == 3 ? true : nil }
      #expect(harness.record.ends.allSatisfy { $0 == .connectionLost })
    }
  }

  // G-020
  @Test func `comes after the client's GOAWAY as it would without`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let id = try await client.open("/t.T/Chat", ends: false)
      try await client.send(id, TestClient.framed([1]))
      try await client.goAway()
      try await client.send(id, TestClient.framed([2]), ends: true)
      #expect(try await client.finished(id).messages == [[1], [2]])
      _ = try await eventually { try await client.state().isClosed ? true : nil }
    }
  }
}
