import GRPC
import Testing

private func answer(_ fields: [(String, String)], limit: Int = 16 << 10) -> ResponseHead {
  var head = ResponseHead(maximumListByteCount: limit)
  for (name, value) in fields {
    Array(name.utf8).withUnsafeBytes { name in
      Array(value.utf8).withUnsafeBytes { value in _ = head.append(name: name, value: value) }
    }
  }
  return head
}

private let grpc = [(":status", "200"), ("content-type", "application/grpc")]

@Suite struct `The head of an answer` {
  @Test(
    arguments: [
      ("400", .internal), ("401", .unauthenticated), ("403", .permissionDenied), ("404", .unimplemented),
      ("429", .unavailable), ("502", .unavailable), ("503", .unavailable), ("504", .unavailable), ("500", .unknown),
      ("302", .unknown), ("415", .unknown), ("x", .unknown),
    ] as [(String, StatusCode)])
  func `is judged by its HTTP status where there is no grpc-status (G-070)`(text: String, code: StatusCode) {
    let head = answer([(":status", text), ("content-type", "text/html")])
    #expect(head.refusal?.code == code)
    #expect(head.status(isTrailersOnly: true, keepsMetadata: false).code == code)
  }

  @Test func `is judged by grpc-status where there is one, whatever HTTP says (G-070)`() {
    let head = answer([(":status", "503"), ("grpc-status", "5"), ("grpc-message", "gone: 100%25")])
    #expect(head.status(isTrailersOnly: true, keepsMetadata: false) == Status(.notFound, "gone: 100%"))
  }

  @Test(arguments: ["application/grpc", "application/grpc+proto", "application/grpc;x=1"])
  func `lets messages follow`(contentType: String) {
    #expect(answer([(":status", "200"), ("content-type", contentType)]).refusal == nil)
  }

  @Test func `of something else is UNKNOWN`() {
    #expect(answer([(":status", "200"), ("content-type", "text/html")]).refusal?.code == .unknown)
  }

  @Test(arguments: ["17", "99", "-1", "", "x", "0000"])
  func `with a code that is none is UNKNOWN`(text: String) {
    #expect(answer(grpc + [("grpc-status", text)]).code == .unknown)
  }

  @Test func `without a status is UNKNOWN at the end of a call`() {
    #expect(answer([("a", "b")]).status(isTrailersOnly: false, keepsMetadata: false).code == .unknown)
  }

  @Test func `gives details, and the server's own fields in order, -bin decoded (G-043, G-044)`() {
    let fields = [
      ("grpc-status", "3"), ("grpc-status-details-bin", "AQID"), ("x", "1"), ("y-bin", "AQ,Ag=="), ("x", "2"),
      ("grpc-tags-bin", "AA"), ("grpc-other", "no"),
    ]
    let status = answer(fields).status(isTrailersOnly: false, keepsMetadata: true)
    #expect(status.details == [1, 2, 3])
    let found = status.trailers.fields.map { "\($0.name) \($0.value)" }
    #expect(found == ["x [49]", "y-bin [1]", "y-bin [2]", "x [50]", "grpc-tags-bin [0]"])
  }

  @Test(
    arguments: [("0", .wait(0)), ("250", .wait(250)), ("-1", .never), ("soon", .never), ("", .never)]
      as [(String, ResponseHead.Pushback)])
  func `says when to try again (G-076)`(text: String, pushback: ResponseHead.Pushback) {
    #expect(answer([("grpc-retry-pushback-ms", text)]).pushback == pushback)
  }

  @Test func `above the limit costs the call, far above it the connection (G-018)`() {
    let long = String(repeating: "x", count: 300)
    let some = answer(grpc + [("x", long), ("grpc-status", "0")], limit: 256)
    #expect(some.size == .costsCall)
    #expect(some.status(isTrailersOnly: true, keepsMetadata: true).code == .resourceExhausted)
    #expect(some.refusal?.code == .resourceExhausted)
    let many = answer(Array(repeating: ("x", long), count: 4), limit: 256)
    #expect(many.size == .costsConnection)
  }

  @Test func `can be used again`() {
    var used = answer([
      (":status", "503"), ("content-type", "x"), ("grpc-status", "3"), ("grpc-retry-pushback-ms", "1"), ("a", "b"),
    ])
    used.removeAll()
    #expect(used.httpStatus == 0 && used.code == nil && used.pushback == nil && used.metadata().fields.isEmpty)
  }
}
