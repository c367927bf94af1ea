import Glibc
import HTTP2
import Testing

private func converse(with memory: SessionMemory) throws {
  let client = try Peer(.client)
  let server = try Peer(.server, memory: memory)
  server.respond = { $0.answer($1, body: [1, 2, 3]) }
  for _ in 0..<20 { client.request(body: [0]) }
  try exchange(client, server)
  guard server.streams.count == 20 else { exit(10) }
}

@Suite struct `The memory of sessions` {
  @Test func `is the same after a hundred sessions as after one`() async {
    // In a process of its own: in a heap that other tests have cut up, the C library gives a block that is a little larger
    // more often, which counts for another size then.
    await #expect(processExitsWith: .success) {
      let memory = SessionMemory()
      try converse(with: memory)
      let once = memory.keptByteCount
      guard once > 0 else { exit(11) }
      for _ in 0..<100 { try converse(with: memory) }
      // A leak of one block a session would be more.
      guard abs(memory.keptByteCount - once) < 4_800 else { exit(12) }
    }
  }
}
