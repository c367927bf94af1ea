import TLS
import TLSTestSupport
import Testing

/// One end of a connection in a test: a session, what it has told, and what it has for the wire.
final class End {
  let session: TLSSession
  let buffers: TLSBuffers
  private(set) var isEstablished = false
  private(set) var received: [UInt8] = []
  private(set) var hasEnded = false
  private(set) var error: TLSError?
  var output: [UInt8] = []

  init(_ context: TLSContext, serverName: String? = nil) throws {
    buffers = TLSBuffers()
    session = try TLSSession(context, serverName: serverName, buffers: buffers)
  }

  func start() {
    attempt { try session.start() }
  }

  func receive(_ bytes: [UInt8]) {
    attempt {
      try bytes.withUnsafeBytes { wire in
        try session.receive(wire) { event in
          switch event {
          case .established: isEstablished = true
          case .plaintext(let bytes): received += bytes
          case .ended: hasEnded = true
          }
        }
      }
    }
  }

  func send(_ bytes: [UInt8]) {
    attempt { try bytes.withUnsafeBytes { try session.send($0) } }
  }

  func finish() {
    session.finish()
    takeOutput()
  }

  /// What waits for the wire, which is empty then.
  func take() -> [UInt8] {
    defer { output = [] }
    return output
  }

  private func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      self.error = error as? TLSError
    }
    takeOutput()
  }

  private func takeOutput() {
    output += buffers.output
    buffers.removeOutput()
  }
}

/// A client and a server with nothing but a test between them.
struct Ends {
  let client: End
  let server: End

  init(_ client: TLSClientSettings, _ server: TLSServerSettings, serverName: String? = "localhost") throws {
    try self.init(TLSContext(client), TLSContext(server), serverName: serverName)
  }

  init(_ client: TLSContext, _ server: TLSContext, serverName: String? = "localhost") throws {
    self.client = try End(client, serverName: serverName)
    self.server = try End(server)
    self.client.start()
  }

  /// Carries bytes to and fro until nobody has any, in pieces of `size`.
  func run(piece size: Int = .max) {
    while true {
      let toServer = client.take()
      for piece in pieces(toServer, size) { server.receive(piece) }
      let toClient = server.take()
      for piece in pieces(toClient, size) { client.receive(piece) }
      if toServer.isEmpty, toClient.isEmpty { return }
    }
  }

  private func pieces(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
    guard bytes.count > size else { return bytes.isEmpty ? [] : [bytes] }
    return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
  }
}

/// What most tests of this target start from.
struct Site {
  let authority: TestCertificates.Issued
  let server: TestCertificates.Issued
  let client: TestCertificates.Issued

  init() throws {
    authority = try TestCertificates.authority()
    server = try TestCertificates.issue("server", by: authority)
    client = try TestCertificates.issue(
      "hub-7", by: authority, names: "DNS:hub.example,URI:energykit:client:7,email:a@example.org,DNS:*.hub.example")
  }

  func serverSettings(_ version: TLSVersion? = nil) -> TLSServerSettings {
    var settings = TLSServerSettings(chain: server.chain, key: server.key)
    if let version {
      settings.oldest = version
      settings.newest = version
    }
    return settings
  }

  func mutualSettings(_ version: TLSVersion? = nil, demands: Bool = true) -> TLSServerSettings {
    var settings = serverSettings(version)
    settings.clientAuthorities = authority.chain
    settings.demandsClientCertificate = demands
    return settings
  }

  func clientSettings(showing identity: TestCertificates.Issued? = nil) -> TLSClientSettings {
    TLSClientSettings(authorities: authority.chain, identity: identity.map { ($0.chain, $0.key) })
  }
}

/// Bytes that repeat late, so that a lost or doubled piece shows.
func patterned(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) }
}
