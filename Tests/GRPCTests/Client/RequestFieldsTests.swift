import GRPC
import Testing

private func text(_ request: RequestFields) -> [String] {
  var block = FieldBlock()
  block.appendRequest(request)
  return block.withFields { fields in
    fields.map { "\(String(decoding: $0.name, as: UTF8.self)): \(String(decoding: $0.value, as: UTF8.self))" }
  }
}

@Suite struct `The headers of a request` {
  @Test func `are those of the gRPC document, in its order`() {
    var request = RequestFields(path: "/a.B/C", authority: "host:1", userAgent: "me/1")
    #expect(
      text(request) == [
        ":method: POST", ":scheme: http", ":path: /a.B/C", ":authority: host:1", "te: trailers",
        "content-type: application/grpc", "user-agent: me/1",
      ])
    request.isSecure = true
    request.timeoutMilliseconds = 1_500
    request.previousAttemptCount = 2
    request.metadata = Metadata([
      .init(name: "X", value: Array("1".utf8)), .init(name: "y-bin", value: [0, 255]),
      .init(name: ":path", value: []), .init(name: "grpc-status", value: []), .init(name: "te", value: []),
    ])
    #expect(text(request)[1] == ":scheme: https")
    #expect(
      Array(text(request)[7...]) == ["grpc-timeout: 1500m", "grpc-previous-rpc-attempts: 2", "x: 1", "y-bin: AP8"])
  }

  @Test(
    arguments: [
      (0, "0m"), (1, "1m"), (99_999_999, "99999999m"), (100_000_000, "100000S"), (100_000_001, "100001S"),
      (99_999_999_000, "99999999S"), (99_999_999_001, "1666667M"), (UInt64.max, "99999999H"),
    ] as [(UInt64, String)])
  func `say the time that is left in eight digits, rounded up (G-036)`(milliseconds: UInt64, expected: String) {
    var bytes: [UInt8] = []
    Timeout.append(milliseconds, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
    let read = bytes.withUnsafeBytes { Timeout.milliseconds($0) } ?? 0
    #expect(read >= milliseconds || milliseconds == .max)
  }
}
