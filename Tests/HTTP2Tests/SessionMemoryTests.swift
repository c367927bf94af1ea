import CNghttp2
import Glibc
import Testing

@testable import HTTP2

private func converse(with memory: SessionMemory) throws {
  let client = try Peer(.client)
  let server = try Peer(.server, memory: memory)
  server.respond = { $0.answer($1, body: [1, 2, 3]) }
  for _ in 0..<5 { client.request(body: [0]) }
  try exchange(client, server)
  guard server.streams.count == 5 else { exit(10) }
}

@Suite struct `The memory of sessions` {
  /// What a session leaves in the lists, the next one must take out again. The C library gives a block that is a little
  /// larger now and then, which counts for another size; so this runs in a process of its own, where that is rare, and
  /// with so many sessions that the smallest block left by each is far more.
  @Test func `is the same after thousands of sessions as after some`() async {
    await #expect(processExitsWith: .success) {
      let memory = SessionMemory()
      for _ in 0..<200 { try converse(with: memory) }
      let before = memory.keptByteCount
      guard before > 0 else { exit(11) }
      for _ in 0..<2_000 { try converse(with: memory) }
      guard abs(memory.keptByteCount - before) < 2_000 * 16 / 2 else { exit(12) }
    }
  }

  @Test func `is given back to the last block`() throws {
    let counted = CountedMemory()
    let server = try Peer(.server, memory: counted.memory)
    #expect(counted.blockCount > 0)
    server.session.close()
    #expect(counted.blockCount == 0)
    for _ in 0..<20 {
      try converse(with: counted.memory)
      #expect(counted.blockCount == 0)
    }
    #expect(counted.allocationCount > 20 * 5)
  }

  @Test func `is given back where a session ends in the midst of streams`() throws {
    let counted = CountedMemory()
    for openCount in 1...20 {
      let client = try Peer(.client)
      let server = try Peer(.server, memory: counted.memory)
      server.respond = { server, stream in if stream.id % 4 == 1 { server.answer(stream, body: [1]) } }
      for _ in 0..<openCount { client.request(body: [0], ends: false) }
      try server.receive(client.output())
      #expect(counted.blockCount > openCount)
      server.session.close()
      #expect(counted.blockCount == 0)
    }
  }
}

/// A session's memory that counts the blocks which nghttp2 holds.
private final class CountedMemory {
  let memory = SessionMemory()
  private(set) var blockCount = 0
  private(set) var allocationCount = 0
  private let original: nghttp2_mem

  init() {
    original = memory.functions.pointee
    memory.functions.pointee = nghttp2_mem(
      mem_user_data: Unmanaged.passUnretained(self).toOpaque(),
      malloc: { size, context in
        CountedMemory.of(context)?.allocated { $0.malloc(size, $0.mem_user_data) }
      },
      free: { block, context in
        guard let counted = CountedMemory.of(context) else { return }
        if block != nil { counted.blockCount -= 1 }
        counted.original.free(block, counted.original.mem_user_data)
      },
      calloc: { count, size, context in
        CountedMemory.of(context)?.allocated { $0.calloc(count, size, $0.mem_user_data) }
      },
      realloc: { block, size, context in
        guard let counted = CountedMemory.of(context) else { return nil }
        guard let block else { return counted.allocated { $0.malloc(size, $0.mem_user_data) } }
        return counted.original.realloc(block, size, counted.original.mem_user_data)
      })
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> CountedMemory? {
    context.map { Unmanaged<CountedMemory>.fromOpaque($0).takeUnretainedValue() }
  }

  private func allocated(_ allocate: (nghttp2_mem) -> UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let block = allocate(original)
    if block != nil { blockCount += 1 }
    allocationCount += 1
    return block
  }
}
