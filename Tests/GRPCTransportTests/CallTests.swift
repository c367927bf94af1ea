import GRPC
import Testing

@Suite struct `A call` {
  @Test(arguments: [0, 1, 100, 16_384, 65_536, 300_000])
  func `carries one message each way`(byteCount: Int) async throws {
    try await withServer { harness in
      let client = try await harness.client()
      let message = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 * 7) }
      let outcome = try await client.call("/t.T/Echo", [message])
      #expect(outcome.headers == [":status": "200", "content-type": "application/grpc"])
      #expect(outcome.messages == [message])
      #expect(outcome.trailers == ["grpc-status": "0"])
      #expect(outcome.closeCode == 0)
      try await client.close()
    }
  }
}
