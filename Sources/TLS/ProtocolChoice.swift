import COpenSSL

/// The server's choice of the application protocol: `h2` and no other (RFC 7301, RFC 9113 §3.2).
enum ProtocolChoice {
  static let h2 = Array("h2".utf8)

  /// Whoever offers nothing is refused as whoever offers something else, with the same alert.
  static func checkHello(_ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<CInt>?) -> CInt {
    var content: UnsafePointer<UInt8>?
    var count = 0
    let type = UInt32(TLSEXT_TYPE_application_layer_protocol_negotiation)
    if SSL_client_hello_get0_ext(ssl, type, &content, &count) == 1 { return SSL_CLIENT_HELLO_SUCCESS }
    TLSSession.of(ssl)?.hasNoCommonProtocol = true
    alert?.pointee = TLS1_AD_NO_APPLICATION_PROTOCOL
    return SSL_CLIENT_HELLO_ERROR
  }

  /// `list` is the client's: names, each after its length.
  static func choose(
    _ ssl: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ outCount: UnsafeMutablePointer<UInt8>?,
    _ list: UnsafePointer<UInt8>?, _ count: UInt32
  ) -> CInt {
    let names = UnsafeBufferPointer(start: list, count: Int(count))
    var start = 0
    while start < names.count {
      let end = start + 1 + Int(names[start])
      guard end <= names.count else { break }
      if names[(start + 1)..<end].elementsEqual(h2) {
        out?.pointee = list.map { $0 + start + 1 }
        outCount?.pointee = UInt8(h2.count)
        return SSL_TLSEXT_ERR_OK
      }
      start = end
    }
    TLSSession.of(ssl)?.hasNoCommonProtocol = true
    return SSL_TLSEXT_ERR_ALERT_FATAL
  }
}
