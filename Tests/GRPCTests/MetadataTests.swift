import GRPC
import Testing

@Suite struct `Metadata of a request` {
  // G-042, G-044, G-045
  @Test func `is the caller's own fields in order`() {
    let metadata = Metadata(
      head([
        (":method", "POST"), (":path", "/a.B/C"), ("te", "trailers"), ("content-type", "application/grpc"),
        ("content-length", "5"), ("host", "h"), ("x-b", "1"), ("x-a", "2"), ("x-b", " 3\t"), ("user-agent", "u"),
        ("grpc-timeout", "1S"), ("grpc-encoding", "identity"), ("grpc-foo", "x"),
        ("grpc-previous-rpc-attempts", "2"), ("grpc-trace-bin", "AQI"), ("grpc-tags-bin", "Aw=="),
        ("traceparent", "00-1"),
      ]))
    #expect(
      metadata.fields == [
        .init(name: "x-b", value: Array("1".utf8)), .init(name: "x-a", value: Array("2".utf8)),
        .init(name: "x-b", value: Array("3".utf8)), .init(name: "user-agent", value: Array("u".utf8)),
        .init(name: "grpc-previous-rpc-attempts", value: Array("2".utf8)),
        .init(name: "grpc-trace-bin", value: [1, 2]), .init(name: "grpc-tags-bin", value: [3]),
        .init(name: "traceparent", value: Array("00-1".utf8)),
      ])
  }

  // G-042, G-043
  @Test func `drops what cannot be read and nothing else`() {
    let metadata = Metadata(head([("a", "é"), ("b-bin", "?"), ("c", "\u{7F}"), ("d", ""), ("e-bin", "")]))
    #expect(metadata.fields == [.init(name: "d", value: []), .init(name: "e-bin", value: [])])
  }

  // G-044
  @Test func `has joined binary values apart`() {
    let metadata = Metadata(head([("k-bin", "AQ,Ag==, Aw ,!,BA"), ("k", "a,b")]))
    #expect(metadata.fields.map(\.value) == [[1], [2], [3], [4], Array("a,b".utf8)])
  }
}
