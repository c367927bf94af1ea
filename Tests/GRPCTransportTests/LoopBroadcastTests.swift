import GRPC
import GRPCTransport
import HTTP2
import TestSupport
import Testing

extension Harness {
  fileprivate func publish(_ bytes: [UInt8]) async throws {
    let broadcasts = broadcasts
    try await loop.run { broadcasts.all[0].publish(SharedMessage(bytes)) { _ in } }
  }

  fileprivate func subscriberCount() async throws -> Int {
    let broadcasts = broadcasts
    return try await loop.run { broadcasts.all[0].count }
  }

  fileprivate func subscribed(_ count: Int) async throws {
    _ = try await eventually { try await subscriberCount() == count ? true : nil }
  }
}

@Suite struct `A broadcast` {
  // G-096
  @Test func `gives each subscriber its prefix and all the same rest`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      var ids: [Int32] = []
      for index in 0..<10 as Range<UInt8> {
        ids.append(
          try await client.open("/t.T/Subscribe", body: TestClient.framed([UInt8](repeating: index, count: Int(index))))
        )
      }
      try await harness.subscribed(10)
      for round in 1...3 as ClosedRange<UInt8> {
        try await harness.publish([round, 0xFF])
        for (index, id) in ids.enumerated() {
          let wanted = [UInt8](repeating: UInt8(index), count: index) + [round, 0xFF]
          #expect(try await client.messages(id, count: Int(round)).last == wanted)
        }
      }
    }
  }

  @Test func `gives the newest to who comes later`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      _ = try await client.open("/t.T/Subscribe", body: TestClient.framed([]))
      try await harness.subscribed(1)
      try await harness.publish([1])
      try await harness.publish([2])
      let late = try await client.open("/t.T/Subscribe", body: TestClient.framed([7]))
      #expect(try await client.messages(late, count: 1) == [[7, 2]])
    }
  }

  @Test func `lets a closed window have the newest only`() async throws {
    try await withServer { harness in
      var settings = HTTP2Settings()
      settings.streamWindow = 105
      let client = try await harness.client(settings)
      try await client.setTakes(false)
      let id = try await client.open("/t.T/Subscribe", body: TestClient.framed([]))
      try await harness.subscribed(1)
      // Fills the window.
      try await harness.publish([UInt8](repeating: 1, count: 100))
      #expect(try await client.messages(id, count: 1).count == 1)
      for round in 2...9 as ClosedRange<UInt8> { try await harness.publish([UInt8](repeating: round, count: 50)) }
      try await client.consume(id, 105)
      #expect(
        try await client.messages(id, count: 2) == [
          [UInt8](repeating: 1, count: 100), [UInt8](repeating: 9, count: 50),
        ])
    }
  }

  @Test func `finishes a message that has begun to leave, then sends the newest`() async throws {
    try await withServer { harness in
      var settings = HTTP2Settings()
      settings.streamWindow = 60
      let client = try await harness.client(settings)
      try await client.setTakes(false)
      let id = try await client.open("/t.T/Subscribe", body: TestClient.framed([0xAA, 0xBB]))
      try await harness.subscribed(1)
      try await harness.publish([UInt8](repeating: 1, count: 100))
      _ = try await eventually { try await client.outcome(id).rest.count == 60 ? true : nil }
      for round in 2...9 as ClosedRange<UInt8> { try await harness.publish([UInt8](repeating: round, count: 20)) }
      try await client.setTakes(true)
      try await client.consume(id, 60)
      let prefix: [UInt8] = [0xAA, 0xBB]
      let wanted = [prefix + [UInt8](repeating: 1, count: 100), prefix + [UInt8](repeating: 9, count: 20)]
      #expect(try await client.messages(id, count: 2) == wanted)
    }
  }

  @Test func `keeps its place among what a call sends`() async throws {
    try await withServer { harness in
      var settings = HTTP2Settings()
      settings.streamWindow = 60
      let client = try await harness.client(settings)
      try await client.setTakes(false)
      let id = try await client.open("/t.T/Subscribe", body: TestClient.framed([]))
      try await harness.subscribed(1)
      try await harness.publish([UInt8](repeating: 1, count: 100))
      _ = try await eventually { try await client.outcome(id).rest.count == 60 ? true : nil }
      let broadcasts = harness.broadcasts
      try await harness.loop.run { broadcasts.calls[0].call?.send([2]) }
      try await harness.publish([3])
      try await harness.loop.run { broadcasts.calls[0].call?.send([4]) }
      try await harness.publish([5])
      try await harness.loop.run { broadcasts.calls[0].call?.finish(.ok) }
      try await client.setTakes(true)
      try await client.consume(id, 60)
      let outcome = try await client.finished(id)
      #expect(outcome.messages == [[UInt8](repeating: 1, count: 100), [2], [3], [4], [5]])
      #expect(outcome.status == "0")
    }
  }

  // G-096
  @Test func `reaches thousands in slices, each once`() async throws {
    try await withServer { harness in
      var clients: [(TestClient, [Int32])] = []
      for _ in 0..<4 {
        let client = try await harness.client()
        var ids: [Int32] = []
        for _ in 0..<500 { ids.append(try await client.open("/t.T/Subscribe", body: TestClient.framed([1]))) }
        clients.append((client, ids))
      }
      try await harness.subscribed(2_000)
      try await harness.publish([1])
      try await harness.publish([2])
      try await harness.publish([3])
      for (client, ids) in clients {
        for id in ids {
          let last = try await eventually {
            let messages = try await client.outcome(id).messages
            return messages.last == [1, 3] ? messages : nil
          }
          #expect(Set(last).count == last.count)
        }
      }
    }
  }

  @Test func `forgets who has left`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let other = try await harness.client()
      var ids: [Int32] = []
      for _ in 0..<20 { ids.append(try await client.open("/t.T/Subscribe", body: TestClient.framed([]))) }
      for _ in 0..<5 { _ = try await other.open("/t.T/Subscribe", body: TestClient.framed([])) }
      try await harness.subscribed(25)
      for id in ids.prefix(7) { try await client.cancel(id) }
      try await harness.subscribed(18)
      try await harness.publish([1])
      for id in ids.dropFirst(7) { #expect(try await client.messages(id, count: 1) == [[1]]) }
      try await client.close()
      try await harness.subscribed(5)
      try await harness.publish([2])
      try await other.close()
      try await harness.subscribed(0)
    }
  }

  @Test func `ends all its calls`() async throws {
    try await withServer { harness in
      let client = try await harness.client()
      var ids: [Int32] = []
      for _ in 0..<700 { ids.append(try await client.open("/t.T/Subscribe", body: TestClient.framed([]))) }
      try await harness.subscribed(700)
      try await harness.publish([1])
      let broadcasts = harness.broadcasts
      try await harness.loop.run { broadcasts.all[0].finishAll { Status(.unavailable, "over") } }
      for id in ids { #expect(try await client.finished(id).status == "14") }
      #expect(try await harness.subscriberCount() == 0)
    }
  }
}
