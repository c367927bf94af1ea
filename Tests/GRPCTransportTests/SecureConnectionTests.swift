import GRPC
import GRPCTransport
import Glibc
import Locking
import NetworkIO
import TLS
import TLSTestSupport
import TestSupport
import Testing

/// A server's files in a directory of the test's own.
private final class Files: Sendable {
  let directory: String
  let authority: PEMFile
  private let names = ["server.pem", "server.key", "authority.pem"]

  init() throws {
    var template = Array("/tmp/energykit-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Overdue() }
    directory = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    let authority = try TestCertificates.authority()
    self.authority = authority.chain
    let server = try TestCertificates.issue("server", by: authority)
    write(server.chain.bytes, "server.pem")
    write(server.key.bytes, "server.key")
    write(authority.chain.bytes, "authority.pem")
  }

  deinit {
    for name in names { unlink(path(name)) }
    rmdir(directory)
  }

  func path(_ name: String) -> String { "\(directory)/\(name)" }

  func write(_ bytes: [UInt8], _ name: String) {
    let file = open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    close(file)
  }

  func certificates() throws -> ServerCertificates {
    try ServerCertificates(
      chainPath: path("server.pem"), keyPath: path("server.key"), authoritiesPath: path("authority.pem"))
  }
}

@Suite struct `A TLS connection` {
  /// A server that demands nothing of its clients, and what it has told of failures.
  private func withSecureServer(
    _ limits: CallLimits = CallLimits(),
    _ body: (Harness, Files, ServerCertificates, Lock<[String]>) async throws -> Void
  ) async throws {
    let files = try Files()
    let certificates = try files.certificates()
    let problems = Lock<[String]>([])
    try await withServer(
      limits: limits, security: .tls(certificates),
      onSecurityProblem: { peer, error in problems.withLock { $0.append("\(peer.hasPrefix("127.")): \(error)") } }
    ) { harness in
      try await body(harness, files, certificates, problems)
    }
  }

  // G-004, G-151
  @Test(arguments: [[], [22, 3, 1], [22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3, 0, 0]] as [[UInt8]])
  func `whose handshake stalls is closed when its time is over`(begin: [UInt8]) async throws {
    var limits = CallLimits()
    limits.establishmentMilliseconds = 100
    try await withSecureServer(limits) { harness, _, _, problems in
      let client = try RawClient(port: harness.address.port)
      client.write(begin)
      #expect(client.readToEnd() == [])
      #expect(problems.withLock { $0 } == [])
    }
  }

  // G-080
  @Test func `of junk is told why, and closed though the client does not leave`() async throws {
    try await withSecureServer { harness, _, _, problems in
      let client = try RawClient(port: harness.address.port)
      client.write(Array("GET / HTTP/1.1\r\n\r\n".utf8))
      // The FIN comes at once; OpenSSL has no alert for what speaks another language.
      let answer = try #require(client.readToEnd())
      #expect(answer.count <= 7)
      #expect(problems.withLock { $0 } == ["true: the peer does not speak TLS"])
      // Not more than a moment after it, the connection is gone.
      _ = try await eventually { harness.loop.openHandleCount <= 2 ? true : nil }
    }
  }

  // G-103
  @Test func `in mid-handshake does not hold up a drain`() async throws {
    try await withSecureServer { harness, _, _, _ in
      let silent = try RawClient(port: harness.address.port)
      silent.write([22, 3, 1, 2, 0, 1])
      try await Task.sleep(for: .milliseconds(50))
      let start = ContinuousClock.now
      await harness.server.shutdown(graceSeconds: 10)
      #expect(ContinuousClock.now - start < .seconds(1))
      #expect(silent.readToEnd() != nil)
    }
  }

  // G-026
  @Test func `gets the certificate that is in the file, as of the last time it was read`() async throws {
    try await withSecureServer { harness, files, certificates, _ in
      #expect(try subject(shownTo: files, at: harness) == "CN=server")
      let authority = try TestCertificates.authority("other")
      let newer = try TestCertificates.issue("newer", by: authority)
      files.write(newer.chain.bytes, "server.pem")
      #expect(throws: TLSError.self) { try certificates.reload() }
      #expect(try subject(shownTo: files, at: harness) == "CN=server")
      files.write(newer.key.bytes, "server.key")
      #expect(try subject(shownTo: files, at: harness) == "CN=server")
      try certificates.reload()
      #expect(try subject(of: authority.chain, at: harness) == "CN=newer")
    }
  }

  private func subject(shownTo files: Files, at harness: Harness) throws -> String? {
    try subject(of: files.authority, at: harness)
  }

  /// Makes a connection with the client half of TLS, and says whose certificate the server has shown.
  private func subject(of authority: PEMFile, at harness: Harness) throws -> String? {
    let socket = try PeerSocket(connectingTo: harness.address)
    defer { socket.close() }
    let buffers = TLSBuffers()
    let session = try TLSSession(
      TLSContext(TLSClientSettings(authorities: authority)), serverName: "localhost", buffers: buffers)
    try session.start()
    while !session.isEstablished {
      socket.write(Array(buffers.output))
      buffers.removeOutput()
      guard let wire = socket.read(16 << 10), !wire.isEmpty else { return nil }
      try wire.withUnsafeBytes { try session.receive($0) { _ in } }
    }
    return session.peerCertificate?.subject
  }
}
