internal import COpenSSL

/// Whom a verified certificate is for (RFC 5280 §4.1.2.6, §4.2.1.6).
package struct TLSPeerCertificate: Hashable, Sendable {
  /// As in RFC 2253, such as `CN=hub-7,O=Example`; may be empty.
  package let subject: String
  /// Subject alternative names, in order. Those with other than visible ASCII characters are left out: none is valid, and
  /// a NUL among them would make two readers see two names.
  package let dnsNames: [String]
  package let uris: [String]

  init(_ certificate: OpaquePointer) {
    subject = Self.text(of: X509_get_subject_name(certificate))
    var dnsNames: [String] = []
    var uris: [String] = []
    if let raw = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) {
      let names = OpaquePointer(raw)
      defer { GENERAL_NAMES_free(names) }
      for index in 0..<max(0, copenssl_name_count(names)) {
        guard let (kind, text) = Self.name(copenssl_name(names, index)) else { continue }
        if kind == GEN_DNS { dnsNames.append(text) }
        if kind == GEN_URI { uris.append(text) }
      }
    }
    ERR_clear_error()
    self.dnsNames = dnsNames
    self.uris = uris
  }

  private static func name(_ name: UnsafePointer<GENERAL_NAME>?) -> (kind: CInt, text: String)? {
    var kind: CInt = 0
    guard let value = GENERAL_NAME_get0_value(name, &kind), kind == GEN_DNS || kind == GEN_URI else { return nil }
    let string = value.assumingMemoryBound(to: ASN1_STRING.self)
    let bytes = UnsafeBufferPointer(
      start: ASN1_STRING_get0_data(string), count: Int(max(0, ASN1_STRING_length(string))))
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    return (kind, String(decoding: bytes, as: UTF8.self))
  }

  private static func text(of name: OpaquePointer?) -> String {
    guard let name, let bio = BIO_new(BIO_s_mem()) else { return "" }
    defer { BIO_free(bio) }
    guard X509_NAME_print_ex(bio, name, 0, copenssl_name_format()) >= 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(bio))
    let count = BIO_read(bio, &bytes, CInt(clamping: bytes.count))
    return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
  }
}
