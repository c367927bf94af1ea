import Glibc
import TLS
import TLSTestSupport
import Testing

@Suite struct `A client's certificate` {
  // G-026
  @Test(arguments: TLSVersion.allCases, [true, false])
  func `tells its names`(version: TLSVersion, demands: Bool) throws {
    let site = try Site()
    let ends = try Ends(
      site.clientSettings(showing: site.client), site.mutualSettings(version, demands: demands))
    ends.run()
    let shown = try #require(ends.server.session.peerCertificate)
    #expect(shown.subject == "CN=hub-7")
    #expect(shown.dnsNames == ["hub.example", "*.hub.example"])
    #expect(shown.uris == ["energykit:client:7"])
  }

  // G-026
  @Test(arguments: TLSVersion.allCases)
  func `may be missing where it is not demanded`(version: TLSVersion) throws {
    let site = try Site()
    let ends = try Ends(site.clientSettings(), site.mutualSettings(version, demands: false))
    ends.run()
    #expect(ends.server.isEstablished && ends.server.session.peerCertificate == nil)
  }

  // G-026
  @Test(arguments: TLSVersion.allCases)
  func `may not be missing where it is`(version: TLSVersion) throws {
    let site = try Site()
    let ends = try Ends(site.clientSettings(), site.mutualSettings(version))
    ends.run()
    #expect(ends.server.error == .certificateRefused("there is none"))
    #expect(!ends.server.isEstablished)
    #expect(ends.client.error != nil)
  }

  enum Fault: CaseIterable {
    case expired, early, stranger
  }

  // G-026
  @Test(arguments: TLSVersion.allCases, Fault.allCases)
  func `that is bad is refused, demanded or not`(version: TLSVersion, fault: Fault) throws {
    let site = try Site()
    let (shown, words) =
      switch fault {
      case .expired:
        (try TestCertificates.issue("old", by: site.authority, days: -9 ... -2), "certificate has expired")
      case .early:
        (try TestCertificates.issue("early", by: site.authority, days: 2...9), "certificate is not yet valid")
      case .stranger:
        (
          try TestCertificates.issue("who", by: TestCertificates.authority("others")),
          "unable to get local issuer certificate"
        )
      }
    for demands in [true, false] {
      let ends = try Ends(site.clientSettings(showing: shown), site.mutualSettings(version, demands: demands))
      ends.run()
      #expect(ends.server.error == .certificateRefused(words))
      #expect(!ends.server.isEstablished && ends.server.received.isEmpty)
      #expect(ends.client.error?.description.contains("alert") == true)
    }
  }

  @Test func `is judged anew on every connection`() throws {
    let site = try Site()
    let server = try TLSContext(site.mutualSettings(.tls13))
    let ends = try Ends(TLSContext(site.clientSettings(showing: site.client)), server)
    ends.server.receive(ends.client.take())
    ends.client.receive(ends.server.take())
    ends.server.receive(ends.client.take())
    // No ticket is sent: nothing follows the client's Finished.
    #expect(ends.server.isEstablished && ends.server.output.isEmpty)
    let others = try Ends(TLSContext(site.clientSettings()), server)
    others.run()
    #expect(others.server.error == .certificateRefused("there is none"))
  }

  @Test func `reads names with odd characters as none`() throws {
    let site = try Site()
    // A space, which no name has.
    let odd = try TestCertificates.issue("odd", by: site.authority, names: "DNS:a.example,DNS:b c.example,URI:urn:x")
    let ends = try Ends(site.clientSettings(showing: odd), site.mutualSettings())
    ends.run()
    let shown = try #require(ends.server.session.peerCertificate)
    #expect(shown.dnsNames == ["a.example"] && shown.uris == ["urn:x"])
  }
}

@Suite struct `A server's certificate` {
  @Test(arguments: ["localhost", "127.0.0.1"])
  func `is good for its names`(name: String) throws {
    let site = try Site()
    let ends = try Ends(site.clientSettings(), site.serverSettings(), serverName: name)
    ends.run()
    #expect(ends.client.isEstablished && ends.client.error == nil)
  }

  @Test(arguments: [
    ("example.org", "hostname mismatch"), ("localhost.example", "hostname mismatch"),
    ("127.0.0.2", "IP address mismatch"),
    ("::1", "IP address mismatch"),
  ])
  func `is good for no others`(name: String, words: String) throws {
    let site = try Site()
    let ends = try Ends(site.clientSettings(), site.serverSettings(), serverName: name)
    ends.run()
    #expect(ends.client.error == .certificateRefused(words))
    #expect(ends.server.error?.description.contains("alert") == true)
  }

  @Test func `of an unknown authority is refused`() throws {
    let site = try Site()
    let others = TLSClientSettings(authorities: try TestCertificates.authority("others").chain)
    let ends = try Ends(others, site.serverSettings())
    ends.run()
    #expect(ends.client.error == .certificateRefused("unable to get local issuer certificate"))
    // The system knows it no more.
    let system = try Ends(TLSClientSettings(), site.serverSettings())
    system.run()
    #expect(system.client.error == .certificateRefused("unable to get local issuer certificate"))
  }

  @Test(arguments: ["", "a\0b", String(repeating: "x", count: 300)])
  func `is not asked of what is no name`(name: String) throws {
    let site = try Site()
    let context = try TLSContext(site.clientSettings())
    #expect(throws: TLSError.self) { try TLSSession(context, serverName: name, buffers: TLSBuffers()) }
  }

  // G-026
  @Test func `may change while connections live`() throws {
    let site = try Site()
    let client = try TLSContext(site.clientSettings())
    var context: TLSContext? = try TLSContext(site.serverSettings())
    weak let gone = context
    let ends = try Ends(client, try #require(context))
    ends.run()
    context = nil
    let newer = try TestCertificates.issue("newer", by: site.authority)
    let later = try Ends(client, TLSContext(TLSServerSettings(chain: newer.chain, key: newer.key)))
    later.run()
    #expect(later.client.session.peerCertificate?.subject == "CN=newer")
    ends.client.send([1])
    ends.run()
    #expect(ends.server.received == [1])
    #expect(gone != nil)
  }
}

@Suite struct `A file of certificates` {
  private func reason(_ body: () throws(TLSError) -> Void) -> String? {
    do throws(TLSError) {
      try body()
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `that cannot be used is named, and why`() throws {
    let site = try Site()
    let chain = site.server.chain
    let key = site.server.key
    let junk = PEMFile(
      name: "junk", bytes: Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8))
    let locked = PEMFile(
      name: "locked",
      bytes: Array("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n".utf8))
    let cases: [(PEMFile, PEMFile, PEMFile?, String)] = [
      (chain, site.client.key, nil, "hub-7.key: is not the key of the certificate in server.pem"),
      (chain, chain, nil, "server.pem: holds no private key in PEM"),
      (key, key, nil, "server.key: holds no certificate in PEM"),
      (junk, key, nil, "junk: holds a bad certificate: "),
      (PEMFile(name: "cut", bytes: Array(chain.bytes.dropLast(40))), key, nil, "cut: holds a bad certificate: "),
      (chain, locked, nil, "locked: the key has a passphrase; one without is needed"),
      (PEMFile(name: "empty", bytes: []), key, nil, "empty: "),
      (chain, PEMFile(name: "empty", bytes: []), nil, "empty: "),
      (chain, key, key, "server.key: holds no certificate in PEM"),
    ]
    for (chain, key, authorities, words) in cases {
      let said = reason { () throws(TLSError) in
        _ = try TLSContext(TLSServerSettings(chain: chain, key: key, clientAuthorities: authorities))
      }
      #expect(said?.hasPrefix(words) == true, "\(said ?? "accepted"), not \(words)")
    }
  }

  @Test func `that cannot be read is named, and why`() {
    #expect(
      reason { () throws(TLSError) in _ = try PEMFile(reading: "/nowhere/a.pem") }
        == "/nowhere/a.pem: No such file or directory")
    #expect(reason { () throws(TLSError) in _ = try PEMFile(reading: "/tmp") } == "/tmp: Is a directory")
    #expect(
      reason { () throws(TLSError) in _ = try PEMFile(reading: "/dev/zero") } == "/dev/zero: is not a regular file")
  }

  @Test func `may hold a whole chain, an intermediate authority being trusted alone`() throws {
    let root = try TestCertificates.authority("root")
    let server = try TestCertificates.issue("server", by: root)
    let chain = PEMFile(name: "chain", bytes: server.chain.bytes + root.chain.bytes)
    let ends = try Ends(
      TLSClientSettings(authorities: root.chain), TLSServerSettings(chain: chain, key: server.key))
    ends.run()
    #expect(ends.client.isEstablished)
    // Trusted by itself, though it is nobody's root.
    let pinned = try Ends(
      TLSClientSettings(authorities: server.chain), TLSServerSettings(chain: server.chain, key: server.key))
    pinned.run()
    #expect(pinned.client.isEstablished)
  }
}
