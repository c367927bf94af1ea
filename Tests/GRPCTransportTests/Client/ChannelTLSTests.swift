import GRPC
import GRPCTransport
import Glibc
import NetworkIO
import TLS
import TLSTestSupport
import TestSupport
import Testing

/// An authority, and a directory with a server's files, which are gone after the test.
private struct Site {
  let authority: TestCertificates.Issued
  let directory: String

  init() throws {
    authority = try TestCertificates.authority()
    var template = Array("/tmp/energykit-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Overdue() }
    directory = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    let server = try TestCertificates.issue("server", by: authority)
    try write(server.chain, "server.pem")
    try write(server.key, "server.key")
    try write(authority.chain, "authority.pem")
  }

  private func write(_ file: PEMFile, _ name: String) throws {
    let descriptor = open("\(directory)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Overdue() }
    _ = file.bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  func remove() {
    for name in ["server.pem", "server.key", "authority.pem"] { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }

  func certificates() throws -> ServerCertificates {
    try ServerCertificates(
      chainPath: "\(directory)/server.pem", keyPath: "\(directory)/server.key",
      authoritiesPath: "\(directory)/authority.pem")
  }
}

@Suite struct `A channel by TLS` {
  /// Gives `body` a channel to a server of its own; `client` is what the channel has of TLS, `nil`: nothing.
  private func withSecureChannel(
    demandsCertificate: Bool = false, serverName: String? = "localhost",
    _ client: (Site) throws -> TLSClientSettings? = { TLSClientSettings(authorities: $0.authority.chain) },
    _ body: (Harness, ClientChannel) async throws -> Void
  ) async throws {
    let site = try Site()
    defer { site.remove() }
    let certificates = try site.certificates()
    let settings = try client(site)
    let context = try settings.map { try TLSContext($0) }
    try await withServer(security: demandsCertificate ? .mutualTLS(certificates) : .tls(certificates)) { harness in
      let target = ChannelTarget(addresses: [harness.address], authority: "test")
      try await withChannel(to: target, on: harness.clientLoop) { configuration in
        configuration.security = context.map { .init(context: $0, serverName: serverName) }
      } _: { channel in
        try await body(harness, channel)
      }
    }
  }

  private func outcome(_ channel: ClientChannel) async -> Status {
    await statusOf { () async throws(Status) in
      try await channel.unary("/t.T/Echo", [1], CallOptions(timeoutMilliseconds: 5_000))
    }
  }

  @Test(arguments: TLSVersion.allCases)
  func `calls as in the clear (G-024, G-025)`(version: TLSVersion) async throws {
    try await withSecureChannel { site in
      var settings = TLSClientSettings(authorities: site.authority.chain)
      settings.oldest = version
      settings.newest = version
      return settings
    } _: { harness, channel in
      for byteCount in [0, 1, 16_384, 300_000, 4 << 20] {
        let message = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        #expect(try await channel.message("/t.T/Echo", message) == message)
      }
      let (messages, status) = await channel.serverStream("/t.T/Flood", [100]).collected()
      #expect(messages.count == 100 && status == .ok)
      let sum = try await channel.clientStream("/t.T/Sum").message()
      #expect(sum == Array("0".utf8))
    }
  }

  @Test func `takes no server of another authority`() async throws {
    try await withSecureChannel { _ in
      TLSClientSettings(authorities: try TestCertificates.authority("other").chain)
    } _: { _, channel in
      let status = await outcome(channel)
      #expect(status.code == .unavailable && status.message.contains("certificate"))
    }
  }

  @Test func `takes no certificate for another name`() async throws {
    try await withSecureChannel(serverName: "elsewhere") { harness, channel in
      let status = await outcome(channel)
      #expect(status.code == .unavailable && status.message.contains("certificate"))
      #expect(harness.record.callsMade == 0)
    }
  }

  @Test func `without a name to check makes no connection`() async throws {
    try await withSecureChannel(serverName: nil) { harness, channel in
      let status = await outcome(channel)
      #expect(status.code == .unavailable && status.message.contains("no name"))
      #expect(harness.record.callsMade == 0)
    }
  }

  @Test func `checks the host of its target, also in numbers`() async throws {
    let site = try Site()
    defer { site.remove() }
    let context = try TLSContext(TLSClientSettings(authorities: site.authority.chain))
    try await withServer(security: .tls(try site.certificates())) { harness in
      for host in ["127.0.0.1", "localhost"] {
        let target = try #require(ChannelTarget("\(host):\(harness.address.port)"))
        try await withChannel(to: target, on: harness.clientLoop, { $0.security = .init(context: context) }) {
          channel in
          #expect(await outcome(channel) == .ok)
        }
      }
    }
  }

  @Test(arguments: [true, false])
  func `shows its own certificate where one is demanded (G-026)`(hasOne: Bool) async throws {
    try await withSecureChannel(demandsCertificate: true) { site in
      var settings = TLSClientSettings(authorities: site.authority.chain)
      if hasOne {
        let own = try TestCertificates.issue("client", by: site.authority)
        settings.identity = (own.chain, own.key)
      }
      return settings
    } _: { _, channel in
      #expect(await outcome(channel).code == (hasOne ? .ok : .unavailable))
    }
  }

  @Test func `says that a server speaks no TLS`() async throws {
    let authority = try TestCertificates.authority()
    let context = try TLSContext(TLSClientSettings(authorities: authority.chain))
    try await withServerAndChannel {
      $0.security = .init(context: context, serverName: "localhost")
    } _: { _, channel in
      let status = await outcome(channel)
      #expect(status.code == .unavailable)
    }
  }

  @Test func `is not taken for one in the clear, which fails`() async throws {
    try await withSecureChannel { _ in
      nil
    } _: { _, channel in
      #expect(await outcome(channel).code == .unavailable)
    }
  }
}
