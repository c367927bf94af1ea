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
    try check("127.0.0.1:50051", code, text)
  }

  @Test(arguments: [
    (EADDRINUSE, "unix:/run/a is already in use by another program"),
    (EEXIST, "unix:/run/a is the path of a file that is no socket"),
    (ENOENT, "unix:/run/a lies in no directory"),
    (EACCES, "unix:/run/a may not be made by this user"),
    (EMFILE, "unix:/run/a cannot be listened on (bind: EMFILE)"),
  ])
  func `says in words what is wrong with the path`(code: CInt, text: String) throws {
    try check("unix:/run/a", code, text)
  }

  private func check(_ address: String, _ code: CInt, _ text: String) throws {
    let address = try #require(SocketAddress(address))
    let error = ListenError(address: address, reason: NetworkError(call: "bind", code: -code))
    #expect(error.description == text)
  }
}
