import Glibc
import NetworkIO
import Testing

@Suite struct `A listen error` {
  @Test(arguments: [
    (EADDRINUSE, "127.0.0.1:50051 is already in use by another program"),
    (EADDRNOTAVAIL, "127.0.0.1:50051 is no address of this machine"),
    (EACCES, "127.0.0.1:50051 may not be used by this user: ports below 1024 need a right of their own"),
    (EMFILE, "127.0.0.1:50051 cannot be listened on (bind: EMFILE)"),
  ])
  func `says in words what is wrong with the address`(code: CInt, text: String) throws {
    let address = try #require(SocketAddress("127.0.0.1:50051"))
    let error = ListenError(address: address, reason: NetworkError(call: "bind", code: -code))
    #expect(error.description == text)
  }
}
