internal import COpenSSL
package import TLS

/// Certificates made for a test, with keys that exist nowhere else.
package struct TestCertificates {
  package struct Refused: Error {
    package init() {}
  }

  /// Signs others, or itself.
  package final class Issued {
    package let chain: PEMFile
    package let key: PEMFile
    fileprivate let certificate: OpaquePointer
    fileprivate let privateKey: OpaquePointer

    fileprivate init(certificate: OpaquePointer, privateKey: OpaquePointer, name: String) throws {
      self.certificate = certificate
      self.privateKey = privateKey
      chain = PEMFile(
        name: "\(name).pem", bytes: try TestCertificates.text { PEM_write_bio_X509($0, certificate) })
      key = PEMFile(
        name: "\(name).key",
        bytes: try TestCertificates.text { PEM_write_bio_PrivateKey($0, privateKey, nil, nil, 0, nil, nil) })
    }

    deinit {
      X509_free(certificate)
      EVP_PKEY_free(privateKey)
    }
  }

  /// Days from now.
  package static func authority(_ name: String = "authority") throws -> Issued {
    try issue(name, by: nil, names: nil, days: -30...30, isAuthority: true)
  }

  /// - Parameter names: As in openssl's configuration: `DNS:localhost,IP:::1,URI:energykit:client:7`.
  package static func issue(
    _ name: String, by issuer: Issued, names: String? = "DNS:localhost,IP:127.0.0.1", days: ClosedRange<Int> = -1...10
  ) throws -> Issued {
    try issue(name, by: issuer, names: names, days: days, isAuthority: false)
  }

  private static func issue(
    _ name: String, by issuer: Issued?, names: String?, days: ClosedRange<Int>, isAuthority: Bool
  ) throws -> Issued {
    guard let certificate = X509_new(), let key = newKey() else { throw Refused() }
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...1_000_000_000))
    X509_gmtime_adj(X509_getm_notBefore(certificate), days.lowerBound * 86_400)
    X509_gmtime_adj(X509_getm_notAfter(certificate), days.upperBound * 86_400)
    X509_set_pubkey(certificate, key)
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, name, -1, -1, 0)
    let issuerName = X509_get_subject_name(issuer?.certificate ?? certificate)
    X509_set_issuer_name(certificate, issuerName)
    try add(NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE", to: certificate)
    if let names { try add(NID_subject_alt_name, names, to: certificate) }
    guard X509_sign(certificate, issuer?.privateKey ?? key, EVP_sha256()) > 0 else { throw Refused() }
    return try Issued(certificate: certificate, privateKey: key, name: name)
  }

  private static func newKey() -> OpaquePointer? {
    let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
      EVP_PKEY_generate(context, &key) == 1
    else { return nil }
    return key
  }

  private static func add(_ kind: CInt, _ value: String, to certificate: OpaquePointer) throws {
    guard let made = X509V3_EXT_conf_nid(nil, nil, kind, value) else { throw Refused() }
    defer { X509_EXTENSION_free(made) }
    X509_add_ext(certificate, made, -1)
  }

  private static func text(_ write: (OpaquePointer?) -> CInt) throws -> [UInt8] {
    let bio = BIO_new(BIO_s_mem())
    defer { BIO_free(bio) }
    guard write(bio) == 1 else { throw Refused() }
    var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(bio))
    let count = BIO_read(bio, &bytes, CInt(bytes.count))
    return Array(bytes.prefix(Int(count)))
  }
}
