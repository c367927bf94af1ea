import COpenSSL
import TLS
import TLSTestSupport
import Testing

@Suite struct `A TLS session` {
  // G-025
  @Test(arguments: TLSVersion.allCases)
  func `carries bytes both ways`(version: TLSVersion) throws {
    let site = try Site()
    let ends = try Ends(site.clientSettings(), site.serverSettings(version))
    ends.run()
    #expect(ends.client.isEstablished && ends.server.isEstablished)
    #expect(ends.client.error == nil && ends.server.error == nil)
    let large = patterned(1_000_003)
    ends.client.send(large)
    ends.server.send(Array("hello".utf8))
    ends.server.send(large)
    ends.run()
    // Not within #expect, which would take minutes to show a million bytes.
    let isSame = ends.server.received == large && ends.client.received == Array("hello".utf8) + large
    #expect(isSame)
    #expect(ends.server.session.peerCertificate == nil)
    #expect(ends.client.session.peerCertificate?.dnsNames == ["localhost"])
  }

  @Test(arguments: TLSVersion.allCases, [1, 2, 3, 5, 16, 100, 1_000])
  func `takes the wire in pieces of any size`(version: TLSVersion, size: Int) throws {
    let site = try Site()
    let ends = try Ends(site.clientSettings(showing: site.client), site.mutualSettings(version))
    ends.run(piece: size)
    ends.client.send(patterned(40_000))
    ends.run(piece: size)
    ends.client.finish()
    ends.run(piece: size)
    let isSame = ends.server.received == patterned(40_000)
    #expect(isSame)
    #expect(ends.server.hasEnded && ends.server.error == nil && ends.client.error == nil)
  }

  /// The client's bytes are cut in two at each place in turn; everything else comes whole.
  @Test(arguments: TLSVersion.allCases)
  func `takes the wire cut at any place`(version: TLSVersion) throws {
    let site = try Site()
    let client = try TLSContext(site.clientSettings(showing: site.client))
    let server = try TLSContext(site.mutualSettings(version))
    var cut = 0
    var length = Int.max
    while cut < length {
      let ends = try Ends(client, server)
      length = feed(ends, cutAt: cut)
      #expect(ends.server.received == Array("request".utf8), "cut at \(cut)")
      #expect(ends.server.error == nil && ends.client.error == nil, "cut at \(cut)")
      cut += 1
    }
    #expect(length > 500)
  }

  /// Runs a handshake and a request; returns how many bytes the client has sent.
  private func feed(_ ends: Ends, cutAt cut: Int) -> Int {
    var sent = 0
    for round in 0..<4 {
      if round == 3 { ends.client.send(Array("request".utf8)) }
      let bytes = ends.client.take()
      let inner = min(max(0, cut - sent), bytes.count)
      ends.server.receive(Array(bytes[..<inner]))
      ends.server.receive(Array(bytes[inner...]))
      sent += bytes.count
      ends.client.receive(ends.server.take())
    }
    return sent
  }

  @Test func `hands on at once what one read has brought`() throws {
    let site = try Site()
    let ends = try Ends(site.clientSettings(), site.serverSettings())
    ends.run()
    for _ in 0..<100 { ends.client.send(Array("record".utf8)) }
    var counts: [Int] = []
    let wire = ends.client.take()
    try wire.withUnsafeBytes { bytes in
      try ends.server.session.receive(bytes) { event in
        guard case .plaintext(let bytes) = event else { return }
        counts.append(bytes.count)
      }
    }
    #expect(counts == [600])
  }

  @Test(arguments: TLSVersion.allCases, [true, false])
  func `ends with a word to the peer`(version: TLSVersion, isClient: Bool) throws {
    let site = try Site()
    let ends = try Ends(site.clientSettings(), site.serverSettings(version))
    ends.run()
    let (one, other) = isClient ? (ends.client, ends.server) : (ends.server, ends.client)
    one.send([1, 2, 3])
    one.finish()
    one.send([4])
    one.finish()
    ends.run()
    #expect(other.received == [1, 2, 3])
    #expect(other.hasEnded && other.error == nil)
    #expect(!other.session.isEstablished && !one.session.isEstablished)
    other.receive([1, 2, 3])
    #expect(other.error == nil)
  }

  @Test(arguments: TLSVersion.allCases)
  func `breaks where the wire was changed`(version: TLSVersion) throws {
    let site = try Site()
    let ends = try Ends(site.clientSettings(), site.serverSettings(version))
    ends.run()
    ends.client.send([1])
    ends.client.send([2])
    var wire = ends.client.take()
    wire[wire.count - 1] ^= 1
    ends.server.receive(wire)
    // What came before the fault is handed on.
    #expect(ends.server.received == [1])
    #expect(ends.server.error != nil && !ends.server.session.isEstablished)
    ends.client.receive(ends.server.take())
    #expect(ends.client.error?.description.contains("alert") == true)
  }

  @Test func `says nothing where it has nothing to say`() throws {
    let site = try Site()
    let ends = try Ends(site.clientSettings(), site.serverSettings())
    ends.server.send([1])
    ends.server.finish()
    #expect(ends.server.output.isEmpty)
    ends.run()
    #expect(!ends.server.isEstablished && ends.server.error == nil)
  }
}

@Suite struct `A TLS handshake` {
  // G-024
  @Test(arguments: TLSVersion.allCases, [[], ["http/1.1"], ["h3", "h22", "h"]])
  func `without h2 in common is refused, and both sides know why`(version: TLSVersion, offer: [String]) throws {
    let site = try Site()
    var client = site.clientSettings()
    client.protocols = offer
    let ends = try Ends(client, site.serverSettings(version))
    ends.run()
    #expect(ends.server.error == .noCommonProtocol && ends.client.error == .noCommonProtocol)
    #expect(!ends.client.isEstablished && !ends.server.isEstablished)
  }

  // G-024
  @Test(arguments: [["h2"], ["http/1.1", "h2"], ["grpc-exp", "h3", "h2", "http/1.1"]])
  func `finds h2 among others`(offer: [String]) throws {
    let site = try Site()
    var client = site.clientSettings()
    client.protocols = offer
    let ends = try Ends(client, site.serverSettings())
    ends.run()
    #expect(ends.client.isEstablished && ends.server.isEstablished)
  }

  @Test func `without a version in common is refused`() throws {
    let site = try Site()
    var client = site.clientSettings()
    client.newest = .tls12
    let ends = try Ends(client, site.serverSettings(.tls13))
    ends.run()
    #expect(ends.server.error == .failed("unsupported protocol"))
    #expect(ends.client.error?.description.contains("protocol version") == true)
  }

  // G-080
  @Test(arguments: [
    "GET / HTTP/1.1\r\n\r\n", "POST /x HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "CONNECT x:1 HTTP/1.1\r\n\r\n",
    "hello, is anybody there?",
  ])
  func `of what is no TLS is refused in words`(text: String) throws {
    let site = try Site()
    let server = try End(TLSContext(site.serverSettings()))
    server.receive(Array(text.utf8))
    #expect(server.error == .notTLS)
  }

  @Test func `that stalls at any place stays open and says nothing`() throws {
    let site = try Site()
    let client = try Ends(site.clientSettings(), site.serverSettings()).client
    let hello = client.take()
    let context = try TLSContext(site.serverSettings())
    for count in stride(from: 0, to: hello.count - 1, by: 7) {
      let server = try End(context)
      server.receive(Array(hello[..<count]))
      #expect(server.error == nil && !server.isEstablished && server.output.isEmpty)
    }
  }

  @Test func `that goes on for ever is refused`() throws {
    let site = try Site()
    let server = try End(TLSContext(site.serverSettings()))
    // A ClientHello that says it has 131,000 bytes, in records of 1,000: within OpenSSL's own bound.
    var message: [UInt8] = [1, 1, 0xFF, 0xB8, 3, 3] + [UInt8](repeating: 0, count: 32) + [0, 0, 2, 0x13, 1, 1, 0]
    message += [0xFF, 0x80, 0x12, 0x34, 0xFF, 0x7C] + [UInt8](repeating: 0, count: 131_000)
    var sent = 0
    while server.error == nil, sent < 130_000 {
      let body = Array(message[sent..<(sent + 1_000)])
      server.receive([22, 3, 1, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body)
      sent += body.count
    }
    #expect(server.error == .handshakeTooLarge)
    #expect((15_000...18_000).contains(sent))
  }

  /// TLS 1.2's renegotiation, which RFC 9113 §9.2.1 forbids.
  @Test func `cannot be begun anew`() throws {
    let site = try Site()
    let server = try End(TLSContext(site.serverSettings(.tls12)))
    let client = try LibraryClient()
    for _ in 0..<4 {
      client.handshake()
      server.receive(client.take())
      client.give(server.take())
    }
    #expect(client.isEstablished && server.isEstablished)
    client.renegotiate()
    server.receive(client.take())
    #expect(server.error == nil)
    client.give(server.take())
    #expect(client.handshake() == "no renegotiation")
  }
}

/// OpenSSL's own client, which does what ours never would.
private final class LibraryClient {
  private let context: OpaquePointer
  private let ssl: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer

  init() throws {
    guard let context = SSL_CTX_new(TLS_client_method()), let ssl = SSL_new(context), let input = BIO_new(BIO_s_mem()),
      let output = BIO_new(BIO_s_mem())
    else { throw TestCertificates.Refused() }
    self.context = context
    self.ssl = ssl
    self.input = input
    self.output = output
    SSL_set_alpn_protos(ssl, [2] + Array("h2".utf8), 3)
    SSL_set_bio(ssl, input, output)
    SSL_set_connect_state(ssl)
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  var isEstablished: Bool { SSL_is_init_finished(ssl) == 1 }

  /// The reason why it cannot go on; `nil` where it can.
  @discardableResult func handshake() -> String? {
    ERR_clear_error()
    guard SSL_do_handshake(ssl) <= 0 else { return nil }
    return ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
  }

  func renegotiate() {
    SSL_renegotiate(ssl)
    handshake()
  }

  func give(_ bytes: [UInt8]) {
    BIO_write(input, bytes, CInt(bytes.count))
  }

  func take() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(output))
    let count = BIO_read(output, &bytes, CInt(bytes.count))
    return Array(bytes.prefix(Int(max(0, count))))
  }
}
