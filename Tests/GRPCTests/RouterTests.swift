import GRPC
import Testing

@Suite struct `A router` {
  private let router = Router(
    (0..<100).map { method("/energy.v1.S\($0 % 10)/M\($0)", limit: $0) } + [method("/energy.v1.S0/M0", limit: 1_000)])

  @Test func `finds every method by its bytes`() {
    for index in 1..<100 {
      let path = "/energy.v1.S\(index % 10)/M\(index)"
      #expect(withBytes(path) { router.method(at: $0)?.maximumRequestByteCount } == index)
      #expect(router[path]?.path == path)
    }
    #expect(router["/energy.v1.S0/M0"]?.maximumRequestByteCount == 1_000)
  }

  // G-031
  @Test(arguments: [
    ("/energy.v1.S1/M0", "unknown method M0 of service energy.v1.S1"),
    ("/energy.v1.S1/m1", "unknown method m1 of service energy.v1.S1"),
    ("/energy.v1.S/M1", "unknown service energy.v1.S"), ("/energy.v1.s1/M1", "unknown service energy.v1.s1"),
    ("/a/b/c", "unknown service a/b"), ("", "malformed method path "), ("/", "malformed method path /"),
    ("//", "malformed method path //"), ("/energy.v1.S1", "malformed method path /energy.v1.S1"),
    ("/energy.v1.S1/", "malformed method path /energy.v1.S1/"),
    ("energy.v1.S1/M1", "malformed method path energy.v1.S1/M1"),
    ("*", "malformed method path *"),
  ])
  func `says of an unknown path what is unknown`(path: String, text: String) {
    #expect(withBytes(path) { router.method(at: $0) == nil })
    #expect(withBytes(path) { router.refusal(of: $0) } == Status(.unimplemented, text))
  }

  @Test(arguments: [
    ("/energy.v1.S1/Later", "energy.v1.S1/Later is not served by this version"),
    ("/energy.v1.S99/M", "energy.v1.S99/M is not served by this version"),
    ("/energy.v1.S99/N", "unknown service energy.v1.S99"),
  ])
  func `tells what is not served from what does not exist`(path: String, text: String) {
    let contract = ["/energy.v1.S1/M1", "/energy.v1.S1/Later", "/energy.v1.S99/M"]
    let router = Router([method("/energy.v1.S1/M1", limit: 1)], contract: contract)
    #expect(router["/energy.v1.S1/M1"] != nil)
    #expect(withBytes(path) { router.method(at: $0) == nil })
    #expect(withBytes(path) { router.refusal(of: $0) } == Status(.unimplemented, text))
  }

  @Test func `shows no more than a part of a long path`() {
    let path = "/" + String(repeating: "x", count: 10_000) + "/y"
    #expect(withBytes(path) { router.refusal(of: $0) }.message.utf8.count < 300)
  }

  @Test func `without methods knows nothing`() {
    #expect(Router([])["/a/b"] == nil)
  }
}

private func method(_ path: String, limit: Int) -> Method {
  Method(path: path, handler: .oneRequest { _, _ in }, maximumRequestByteCount: limit)
}
