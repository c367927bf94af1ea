import GRPC
import GRPCTransport
import HTTP2
import NetworkIO
import TestSupport
import Testing

@Suite struct `A connection` {
  // G-003, G-080
  @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}", "x"])
  func `of junk is closed at once`(junk: String) async throws {
    try await withServer { harness in
      let client = try RawClient(port: harness.address.port)
      client.write(Array(junk.utf8))
      #expect(client.readToEnd() != nil)
    }
  }

  // G-109
  @Test func `whose client has finished writing is closed`() async throws {
    try await withServer { harness in
      let client = try RawClient(port: harness.address.port)
      client.write(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0])
      client.finishWriting()
      #expect(client.readToEnd() != nil)
    }
  }

  // G-001, G-004
  @Test func `begins with the server's SETTINGS though the client says nothing`() async throws {
    var limits = CallLimits()
    limits.establishmentMilliseconds = 100
    try await withServer(limits: limits) { harness in
      let client = try RawClient(port: harness.address.port)
      // And is closed when it goes on saying nothing.
      let bytes = try #require(client.readToEnd())
      #expect(bytes.count > 9 && bytes[3] == 4)
    }
  }

  // G-004
  @Test func `that has said what it has to is not closed`() async throws {
    var limits = CallLimits()
    limits.establishmentMilliseconds = 100
    try await withServer(limits: limits) { harness in
      let client = try await harness.client()
      try await Task.sleep(for: .milliseconds(2_500))
      #expect(try await client.call("/t.T/Echo", [[1]]).status == "0")
    }
  }

  // G-109
  @Test func `leaves nothing behind, a thousand times`() async throws {
    let before = openDescriptorCount()
    try await withServer { harness in
      for _ in 0..<20 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for index in 0..<50 {
            group.addTask {
              let client = try await harness.client()
              try await client.open("/t.T/Never", body: TestClient.framed([]))
              try await client.open("/t.T/Subscribe", body: TestClient.framed([]))
              if index % 2 == 0 { #expect(try await client.call("/t.T/Echo", [[1]]).status == "0") }
              try await client.close()
            }
          }
          try await group.waitForAll()
        }
      }
      _ = try await eventually { harness.loop.openHandleCount <= 2 ? true : nil }
      #expect(harness.record.ends.count <= 2_000)
    }
    // Other tests of the process have some meanwhile; a leak would be a thousand.
    #expect(openDescriptorCount() < before + 500)
  }

  // G-157
  @Test func `above the limit is closed at once`() async throws {
    var limits = CallLimits()
    limits.connections = 3
    try await withServer(limits: limits) { harness in
      var clients: [TestClient] = []
      for _ in 0..<3 { clients.append(try await harness.client()) }
      for client in clients { #expect(try await client.call("/t.T/Echo", [[1]]).status == "0") }
      let refused = try RawClient(port: harness.address.port)
      #expect(refused.readToEnd() == [])
      try await clients[0].close()
      _ = try await eventually {
        let again = try await harness.client()
        try await Task.sleep(for: .milliseconds(20))
        return try await again.state().isClosed ? nil : true
      }
    }
  }
}

@Suite struct `A drain` {
  private func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .seconds(1)
  }

  // G-103
  @Test func `of an idle server takes less than a second`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      #expect(try await client.call("/t.T/Echo", [[1]]).status == "0")
      #expect(await seconds { await harness.server.shutdown(graceSeconds: 10) } < 1)
      _ = try await eventually { try await client.state().isClosed ? true : nil }
      // nghttp2's client reads no further where it has no calls.
      #expect(try await client.state().goAways == [.max])
    }
  }

  // G-103
  @Test func `is not held up by those who say or read nothing`() async throws {
    try await withServer { harness in
      let silent = try RawClient(port: harness.address.port)
      let deaf = try await harness.client()
      #expect(try await deaf.call("/t.T/Echo", [[1]]).status == "0")
      try await deaf.setReads(false)
      #expect(await seconds { await harness.server.shutdown(graceSeconds: 10) } < 1.5)
      #expect(silent.readToEnd() != nil)
      try await deaf.close()
    }
  }

  // G-100, G-101
  @Test func `lets calls finish`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let id = try await client.open("/t.T/Slow", body: (0..<40).flatMap { TestClient.framed([$0]) })
      try await Task.sleep(for: .milliseconds(20))
      await harness.server.shutdown(graceSeconds: 10)
      let outcome = try await client.finished(id)
      #expect(outcome.messages == [Array("40".utf8)] && outcome.status == "0")
      #expect(try await client.state().goAways == [.max, 1])
    }
  }

  // G-101
  @Test func `cuts no stream in the first fifth of its time`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let id = try await client.open("/t.T/Open", body: TestClient.framed([]))
      _ = try await eventually { try await client.outcome(id).headers.isEmpty ? nil : true }
      let server = harness.server
      async let whole: Void = server.shutdown(graceSeconds: 60)
      try await Task.sleep(for: .milliseconds(250))
      #expect(harness.record.ends.isEmpty)
      await server.shutdown(graceSeconds: 0)
      await whole
      #expect(try await client.outcome(id).status == "14")
    }
  }

  // G-069, G-101
  @Test func `ends open streams with a status, spread over the time`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      var ids: [Int32] = []
      for path in ["/t.T/Open", "/t.T/Subscribe", "/t.T/Never"] {
        for _ in 0..<20 { ids.append(try await client.open(path, body: TestClient.framed([]))) }
      }
      _ = try await eventually { harness.record.callsMade == 20 ? true : nil }
      let server = harness.server
      async let took = seconds { await server.shutdown(graceSeconds: 1) }
      try await Task.sleep(for: .milliseconds(500))
      let ended = harness.record.ends.count
      #expect(ended > 5 && ended < 35)
      #expect(await took < 1.8)
      for id in ids { #expect(try await client.outcome(id).status == "14") }
      #expect(harness.record.ends == [CallEnd](repeating: .finished(.unavailable), count: 60))
    }
  }

  // G-102
  @Test func `takes no new connections`() async throws {
    try await withServer { harness in
      await harness.server.shutdown(graceSeconds: 10)
      #expect(throws: Overdue.self) { try RawClient(port: harness.address.port) }
    }
  }

  // G-103
  @Test func `is hurried by a second one`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      try await client.open("/t.T/Never", body: TestClient.framed([]))
      _ = try await eventually { harness.record.callsMade == 1 ? true : nil }
      let server = harness.server
      async let first = seconds { await server.shutdown(graceSeconds: 60) }
      try await Task.sleep(for: .milliseconds(100))
      await server.shutdown(graceSeconds: 0)
      #expect(await first < 2)
    }
  }
}
