import GRPC
import Testing

private let plain = CallTerms(contentType: .plain)

@Suite struct `The fields of an answer` {
  // G-065
  @Test func `are the status and the content type, then metadata`() {
    var block = FieldBlock()
    block.appendResponseHeaders(
      CallTerms(contentType: .proto), metadata: Metadata([.init(name: "x-a", value: Array("1".utf8))]))
    #expect(lines(block) == [":status: 200", "content-type: application/grpc+proto", "x-a: 1"])
  }

  // G-063
  @Test func `name the coding of the messages and those that are served`() {
    var block = FieldBlock()
    var terms = plain
    terms.answersGzip = true
    terms.namesEncodings = true
    block.appendResponseHeaders(terms, metadata: Metadata([.init(name: "x-a", value: [0x31])]))
    #expect(
      lines(block) == [
        ":status: 200", "content-type: application/grpc", "grpc-encoding: gzip",
        "grpc-accept-encoding: identity,gzip,deflate", "x-a: 1",
      ])
  }

  // G-066
  @Test(arguments: StatusCode.allCases)
  func `end with the code in decimal`(code: StatusCode) {
    var block = FieldBlock()
    block.appendTrailers(Status(code))
    #expect(lines(block) == ["grpc-status: \(code.rawValue)"])
  }

  // G-067, G-074, G-076
  @Test func `carry message, details and trailers`() {
    var block = FieldBlock()
    let pushback = Metadata([.init(name: "grpc-retry-pushback-ms", value: Array("500".utf8))])
    block.appendTrailers(Status(.aborted, "läuft", details: [1, 2, 3, 4], trailers: pushback))
    #expect(
      lines(block) == [
        "grpc-status: 10", "grpc-retry-pushback-ms: 500", "grpc-status-details-bin: AQIDBA", "grpc-message: l%C3%A4uft",
      ])
  }

  // G-039, G-068
  @Test func `are one block where nothing else was sent`() {
    var block = FieldBlock()
    var terms = plain
    terms.namesEncodings = true
    block.appendTrailersOnly(Status(.unimplemented, "no"), terms)
    #expect(
      lines(block) == [
        ":status: 200", "content-type: application/grpc", "grpc-accept-encoding: identity,gzip,deflate",
        "grpc-status: 12",
        "grpc-message: no",
      ])
  }

  // G-030, G-035
  @Test func `are HTTP's alone for what is no gRPC`() {
    var block = FieldBlock()
    block.appendRefusal(.methodNotAllowed)
    #expect(lines(block) == [":status: 405", "allow: POST"])
    block.removeAll()
    block.appendRefusal(.unsupportedMediaType)
    #expect(lines(block) == [":status: 415"])
  }

  // G-075
  @Test(arguments: [
    (8_192, 4_000, true, true), (8_192, 100_000, true, true), (4_000, 100_000, true, true), (500, 1_000, false, true),
    (100, 1_000, false, true), (99, 1_000, false, true), (60, 1_000, false, false), (0, 10, false, false),
  ])
  func `fit the client's limit, the status always`(
    limit: Int, messageByteCount: Int, hasDetails: Bool, hasMessage: Bool
  ) {
    var block = FieldBlock()
    let status = Status(
      .internal, String(repeating: "ü", count: messageByteCount / 2), details: Array(repeating: 7, count: 900))
    block.appendTrailers(status, limit: limit)
    let found = lines(block)
    #expect(found.first == "grpc-status: 13")
    #expect(block.listByteCount <= max(limit, 45))
    #expect(found.contains { $0.hasPrefix("grpc-status-details-bin: ") } == hasDetails)
    #expect(found.contains { $0.hasPrefix("grpc-message: ") } == hasMessage)
    for line in found where line.hasPrefix("grpc-message: ") {
      #expect((line.utf8.count - "grpc-message: ".utf8.count).isMultiple(of: 6))
    }
  }

  // G-075
  @Test func `leave out a trailer that does not fit and use its room`() {
    var block = FieldBlock()
    let trailers = Metadata([
      .init(name: "x-large", value: Array(repeating: 0x61, count: 500)), .init(name: "x-small", value: [0x62]),
    ])
    block.appendTrailers(Status(.aborted, String(repeating: "m", count: 500), trailers: trailers), limit: 200)
    #expect(lines(block).map { $0.prefix(8) } == ["grpc-sta", "x-small:", "grpc-mes"])
    #expect(block.listByteCount == 200)
    #expect(block.withFields { $0.reduce(0) { $0 + $1.name.count + $1.value.count + 32 } } == 200)
  }

  @Test func `leave out initial metadata that does not fit`() {
    var block = FieldBlock()
    let metadata = Metadata([
      .init(name: "x-large", value: Array(repeating: 0x61, count: 500)), .init(name: "x-small", value: [0x62]),
    ])
    block.appendResponseHeaders(plain, metadata: metadata, limit: 300)
    #expect(lines(block) == [":status: 200", "content-type: application/grpc", "x-small: b"])
  }

  // G-078
  @Test func `never hold what a header must not`() {
    var block = FieldBlock()
    let fields: [(String, String)] = [
      ("X-Upper", "ok"), ("x-lf", "a\nb"), ("x-cr", "a\rb"), ("x-nul", "a\0b"), ("x-é", "a"), ("x-high", "é"),
      ("", "a"), (":status", "500"), ("grpc-status", "0"), ("grpc-message", "x"), ("content-type", "x"),
      ("connection", "close"), ("Transfer-Encoding", "chunked"), ("te", "x"), ("x y", "a"), ("x-space", " a\t"),
      ("x-bin", "\r\n\0"), ("x-empty", ""),
    ]
    block.appendResponseHeaders(plain, metadata: Metadata(fields.map { .init(name: $0.0, value: Array($0.1.utf8)) }))
    #expect(lines(block).dropFirst(2) == ["x-upper: ok", "x-space: a", "x-bin: DQoA", "x-empty: "])
    let counted = block.withFields { $0.reduce(0) { $0 + $1.name.count + $1.value.count + 32 } }
    #expect(block.listByteCount == counted)
    block.removeAll()
    block.appendTrailers(Status(.unknown, "a\r\nb\0"))
    #expect(lines(block).last == "grpc-message: a%0D%0Ab%00")
  }
}
