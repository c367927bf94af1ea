import GRPC
import GRPCTransport
import Locking
import TestSupport
import Testing

@Suite struct `The flow of a call of a channel` {
  @Test func `is held up by a slow reader, and nothing else is (G-090, G-092)`() async throws {
    try await withServerAndChannel { harness, channel in
      // 2.5 MB, of which the reader takes three messages and no more for a while.
      let responses = channel.serverStream("/t.T/Flood", [250])
      let reader = responses.makeAsyncIterator()
      for _ in 0..<3 { #expect(try await reader.next()?.count == 10_000) }
      let full = await eventually { harness.record.largestBuffer > CallLimits.bufferedBytes }
      #expect(full)
      // Until the windows are full.
      try await Task.sleep(for: .milliseconds(50))
      let roomBefore = harness.record.roomCount
      for number in 0..<100 as Range<UInt8> {
        #expect(try await channel.message("/t.T/Echo", [number]) == [number])
      }
      #expect(harness.record.roomCount == roomBefore && harness.record.ends.isEmpty)
      var count = 3
      while try await reader.next() != nil { count += 1 }
      #expect(count == 250)
    }
  }

  @Test func `is held up by a server that does not read (G-091)`() async throws {
    try await withServerAndChannel { _, channel in
      let stream = channel.clientStream("/t.T/Stuck")
      let sent = Lock(0)
      let writer = Task {
        await statusOf { () async throws(Status) in
          for _ in 0..<1_000 {
            try await stream.send([UInt8](repeating: 0, count: 10_000))
            sent.withLock { $0 += 1 }
          }
        }
      }
      // The server's window of 64 KiB, and our buffer: 32 KiB at least, since above that a writer that waits goes on
      // waiting; 64 KiB and a message at most.
      #expect(await eventually { sent.withLock { $0 } >= 10 })
      try await Task.sleep(for: .milliseconds(50))
      #expect(sent.withLock { $0 } <= 16)
      // Others go on, though the writer waits.
      #expect(try await channel.message("/t.T/Echo", [1]) == [1])
      stream.cancel()
      #expect(await writer.value.code == .cancelled)
    }
  }

  @Test func `of a slow server loses nothing`() async throws {
    try await withServerAndChannel { harness, channel in
      let stream = channel.clientStream("/t.T/Slow")
      for number in 0..<40 as Range<UInt8> { try await stream.send([UInt8](repeating: number, count: 10_000)) }
      #expect(try await stream.message() == Array("400000".utf8))
      #expect(harness.record.messages.map { $0.first } == (0..<40).map { $0 })
    }
  }

  @Test func `carries messages above the window of a reader that takes them one by one (G-092)`() async throws {
    try await withServerAndChannel { _, channel in
      let stream = channel.bidirectionalStream("/t.T/Chat")
      let responses = stream.responses.makeAsyncIterator()
      for number in 0..<4 as Range<UInt8> {
        try await stream.send([UInt8](repeating: number, count: 500_000))
      }
      stream.finishSending()
      for number in 0..<4 as Range<UInt8> {
        try await Task.sleep(for: .milliseconds(10))
        #expect(try await responses.next() == [UInt8](repeating: number, count: 500_000))
      }
      #expect(try await responses.next() == nil)
    }
  }

  @Test func `gives back the connection's credit of cancelled calls (G-089)`() async throws {
    try await withServerAndChannel {
      $0.connectionWindow = 256 << 10
    } _: { _, channel in
      // Ten times the window of the connection.
      for _ in 0..<10 {
        let reader = channel.serverStream("/t.T/Flood", [50]).makeAsyncIterator()
        for _ in 0..<3 { _ = try await reader.next() }
      }
      let (messages, status) = await channel.serverStream("/t.T/Flood", [100]).collected()
      #expect(messages.count == 100 && status == .ok)
    }
  }
}
