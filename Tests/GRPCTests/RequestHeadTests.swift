import GRPC
import Testing

private let good = [
  (":method", "POST"), (":scheme", "http"), (":path", "/a.B/C"), (":authority", "x"),
  ("content-type", "application/grpc"), ("te", "trailers"),
]

@Suite struct `A request head` {
  @Test func `finds the fields that every call has`() {
    let head = head(
      good + [
        ("host", "y"), ("grpc-timeout", "1S"), ("grpc-encoding", "identity"), ("grpc-accept-encoding", "gzip"),
        ("authorization", "Bearer k"), ("user-agent", "u"), ("x-other", "1"), ("x-other", "2"),
      ])
    let expected: [RequestHead.Slot: String] = [
      .method: "POST", .path: "/a.B/C", .scheme: "http", .authority: "x", .host: "y",
      .contentType: "application/grpc", .te: "trailers", .timeout: "1S", .encoding: "identity",
      .acceptEncoding: "gzip", .authorization: "Bearer k", .userAgent: "u",
    ]
    for slot in RequestHead.Slot.allCases { #expect(head.withValue(slot) { latin1($0) } == expected[slot]) }
    #expect(head.withFirstValue("x-other") { latin1($0) } == "1")
    #expect(head.withFirstValue("x-none") { latin1($0) } == nil)
  }

  @Test func `is empty again for the next call`() {
    let head = head(good + [("authorization", "Bearer k"), ("x-other", "1")])
    head.removeAll()
    for slot in RequestHead.Slot.allCases { #expect(!head.has(slot)) }
    #expect(head.listByteCount == 0)
    #expect(head.withFirstValue("x-other") { latin1($0) } == nil)
  }

  @Test func `takes the first of a repeated field`() {
    let head = head([("authorization", "one"), ("authorization", "two")])
    #expect(head.withValue(.authorization) { latin1($0) } == "one")
  }

  // G-033
  @Test func `takes host where the authority is missing`() {
    #expect(head([("host", "y")]).withAuthority { latin1($0) } == "y")
    #expect(head([("host", "y"), (":authority", "x")]).withAuthority { latin1($0) } == "x")
    #expect(head([]).withAuthority { latin1($0) } == nil)
  }

  // G-018, G-046
  @Test func `above its limit costs the call and far above it the connection`() {
    let head = head([], limit: 100)
    #expect(append("0123456789", String(repeating: "x", count: 58), to: head) == .fits)
    #expect(head.listByteCount == 100)
    #expect(append("a", "", to: head) == .costsCall)
    #expect(append("b", String(repeating: "x", count: 234), to: head) == .costsCall)
    #expect(head.listByteCount == 400)
    #expect(append("b", "", to: head) == .costsConnection)
    #expect(head.withFields { $0.count } == 1)
    guard case .refused(let status, _) = head.judge() else {
      Issue.record("not refused")
      return
    }
    #expect(status.code == .resourceExhausted)
    #expect(status.message.contains("100 bytes"))
  }

  // G-030, G-034, G-035, G-036
  @Test(
    arguments: [
      ([], .accepted(CallTerms(contentType: .plain))),
      ([("te", nil)], .accepted(CallTerms(contentType: .plain))),
      ([("grpc-timeout", "5S")], .accepted(CallTerms(contentType: .plain, timeoutMilliseconds: 5_000))),
      ([("grpc-timeout", "0m")], .accepted(CallTerms(contentType: .plain, timeoutMilliseconds: 0))),
      ([("grpc-encoding", "identity")], .accepted(CallTerms(contentType: .plain))),
      ([("content-type", "application/grpc+proto")], .accepted(CallTerms(contentType: .proto))),
      ([(":method", "GET")], .notGRPC(.methodNotAllowed)),
      ([(":method", "post")], .notGRPC(.methodNotAllowed)),
      ([("content-type", nil)], .notGRPC(.unsupportedMediaType)),
      ([("content-type", "application/json")], .notGRPC(.unsupportedMediaType)),
    ] as [([(String, String?)], HeadJudgement)])
  func `is judged by its fields`(changes: [(String, String?)], judgement: HeadJudgement) {
    #expect(changed(changes).judge() == judgement)
  }

  // G-131, G-132, G-133
  @Test(
    arguments: [
      ([("content-type", "application/grpc-web")], .accepted(CallTerms(contentType: .web))),
      ([("content-type", "application/grpc-web+proto; charset=x")], .accepted(CallTerms(contentType: .webProto))),
      ([("content-type", "application/grpc-web-text")], .accepted(CallTerms(contentType: .webText))),
      ([("content-type", "Application/gRPC-Web-Text+Proto")], .accepted(CallTerms(contentType: .webTextProto))),
      ([("content-type", "application/grpc-web+json")], .notGRPC(.unsupportedMediaType)),
      ([(":method", "OPTIONS"), ("origin", "https://a"), ("access-control-request-method", "POST")], .preflight),
      ([(":method", "OPTIONS"), ("origin", "https://a")], .notGRPC(.methodNotAllowed)),
      ([(":method", "OPTIONS"), ("access-control-request-method", "POST")], .notGRPC(.methodNotAllowed)),
      (
        [(":method", "GET"), ("origin", "https://a"), ("access-control-request-method", "POST")],
        .notGRPC(.methodNotAllowed)
      ),
    ] as [([(String, String?)], HeadJudgement)])
  func `of a browser is judged where gRPC-Web is served, else refused`(
    changes: [(String, String?)], judgement: HeadJudgement
  ) {
    #expect(changed(changes).judge(servesWeb: true) == judgement)
    let isRefusal = changes.contains { $0.0 == ":method" } ? HTTPRefusal.methodNotAllowed : .unsupportedMediaType
    #expect(changed(changes).judge() == .notGRPC(isRefusal))
  }

  // G-037
  @Test(arguments: ["", "1s", "-1S", "1.5S", "123456789S"])
  func `with a bad timeout is refused as INTERNAL`(timeout: String) {
    guard case .refused(let status, let terms) = changed([("grpc-timeout", timeout)]).judge() else {
      Issue.record("not refused")
      return
    }
    #expect(status.code == .internal)
    #expect(!terms.namesEncodings)
  }

  // G-039, G-054
  @Test(arguments: [("identity", .identity), ("gzip", .gzip), ("deflate", .deflate)] as [(String, Encoding)])
  func `says how its messages are coded`(name: String, encoding: Encoding) {
    guard case .accepted(let terms) = changed([("grpc-encoding", name)]).judge() else {
      Issue.record("refused")
      return
    }
    #expect(terms.requestEncoding == encoding)
    #expect(terms.namesEncodings == (encoding != .identity))
  }

  // G-040
  @Test(
    arguments: [
      (nil, false), ("", false), ("gzip", true), ("identity,deflate,gzip", true), ("identity, deflate, gzip", true),
      (" gzip;q=1 , nonsense,", true), ("gzip ; q=0.5", true), (",,gzip,", true), ("gzip;q=0", false),
      ("gzip; q=0.00", false), ("gzip;q=0.01", true), ("gzipx", false), ("xgzip", false), ("g zip x", false),
      ("identity", false), (";", false), (";gzip", false), ("zstd;gzip", false), ("\u{FF}", false),
    ] as [(String?, Bool)])
  func `says whether gzip is accepted, read leniently`(list: String?, accepts: Bool) {
    #expect(changed([("grpc-accept-encoding", list)]).acceptsGzip == accepts)
  }

  // G-039
  @Test(arguments: ["zstd", "identity2", "", "GZIP", "gzip,identity", "deflate "])
  func `with an unknown encoding is refused and told the known ones`(encoding: String) {
    guard case .refused(let status, let terms) = changed([("grpc-encoding", encoding)]).judge() else {
      Issue.record("not refused")
      return
    }
    #expect(status.code == .unimplemented)
    #expect(status.message.contains("identity"))
    #expect(terms.namesEncodings)
  }

  private func changed(_ changes: [(String, String?)]) -> RequestHead {
    let names = Set(changes.map(\.0))
    let added = changes.compactMap { name, value in value.map { (name, $0) } }
    return head(good.filter { !names.contains($0.0) } + added)
  }
}

@Suite struct `A content type` {
  // G-035
  @Test(
    arguments: [
      ("application/grpc", .plain), ("application/grpc; charset=utf-8", .plain), ("Application/GRPC ;x", .plain),
      ("application/grpc+proto", .proto), ("application/grpc+proto;a=b", .proto),
    ] as [(String, ContentType)])
  func `of gRPC is served`(text: String, type: ContentType) {
    #expect(withBytes(text) { ContentType($0) } == type)
  }

  // G-035
  @Test(arguments: [
    "", ";", "application/json", "application/grpc+json", "application/grpcx",
    "application/grp",
    "text/plain", " application/grpc",
  ])
  func `of anything else is not`(text: String) {
    #expect(withBytes(text) { ContentType($0) } == nil)
  }
}
