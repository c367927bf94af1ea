import NetworkIO
import Testing

@Suite struct `A socket address` {
  @Test(arguments: [
    ("127.0.0.1:50051", "127.0.0.1:50051", true),
    ("127.255.0.9:1", "127.255.0.9:1", true),
    ("0.0.0.0:0", "0.0.0.0:0", false),
    ("192.0.2.1:65535", "192.0.2.1:65535", false),
    ("[::1]:0", "[::1]:0", true),
    ("[::]:443", "[::]:443", false),
    ("[0:0:0:0:0:0:0:1]:80", "[::1]:80", true),
    ("[2001:DB8::A]:80", "[2001:db8::a]:80", false),
    ("[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80", true),
    ("[::ffff:10.0.0.1]:80", "[::ffff:10.0.0.1]:80", false),
    ("[1::1]:80", "[1::1]:80", false),
    ("unix:/run/a.sock", "unix:/run/a.sock", true),
    ("unix:///run/a b:80", "unix:///run/a b:80", true),
    ("unix:/" + String(repeating: "x", count: 106), "unix:/" + String(repeating: "x", count: 106), true),
  ])
  func `reads numbers and says them in one form`(text: String, form: String, isLoopback: Bool) throws {
    let address = try #require(SocketAddress(text))
    #expect(address.description == form)
    #expect(address.isLoopback == isLoopback)
    #expect(SocketAddress(form) == address)
  }

  @Test(arguments: [
    "", ":", "127.0.0.1", "127.0.0.1:", ":80", "127.0.0.1:65536", "127.0.0.1:99999999999999999999", "127.0.0.1:-1",
    "127.0.0.1:+1", "127.0.0.1: 1", "127.0.0.1:080", "127.0.0.1:1x", "127.0.0.1:٣", "127.1:80", "127.0.0.256:80",
    "127.0.0.01:80", "localhost:80", "::1:80", "[::1]", "[::1]80", "[::1:80", "::1]:80", "[]:80", "[127.0.0.1]:80",
    "[::1%lo]:80", "[::g]:80", "127.0.0.1\0:80", "127.0.0.1:80\0", " 127.0.0.1:80", "127.0.0.1:80 ", "[::1]\0:80",
    "unix:", "unix:a", "unix:/a\0b", "unix:/" + String(repeating: "x", count: 107), "UNIX:/a", "[1:2:3:4:5:6:7:8:9]:80",
    "[:80", "]:80",
  ])
  func `refuses everything else`(text: String) {
    #expect(SocketAddress(text) == nil)
  }
}
