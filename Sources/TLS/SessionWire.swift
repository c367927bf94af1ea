import COpenSSL
import Synchronization

/// The `BIO` through which OpenSSL reads what a session was given and writes for its owner: no copy of either is kept.
enum SessionWire {
  /// Made once, never freed.
  private struct Methods: @unchecked Sendable {
    let raw: OpaquePointer?
  }

  private static let methods: Methods = {
    let raw = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "session")
    BIO_meth_set_read_ex(raw) { bio, room, count, done in
      guard let bio, let session = SessionWire.session(of: bio) else { return 0 }
      copenssl_clear_retry(bio)
      let read = session.readWire(into: UnsafeMutableRawBufferPointer(start: room, count: count))
      done?.pointee = read
      // Nothing is left for now; or more was read than may be, and then it is an error.
      if read == 0, !session.isHandshakeTooLarge { copenssl_retry_read(bio) }
      return read > 0 ? 1 : 0
    }
    BIO_meth_set_write_ex(raw) { bio, bytes, count, done in
      guard let session = SessionWire.session(of: bio) else { return 0 }
      session.writeWire(UnsafeRawBufferPointer(start: bytes, count: count))
      done?.pointee = count
      return 1
    }
    BIO_meth_set_ctrl(raw) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    return Methods(raw: raw)
  }()

  /// Makes the `BIO` of a session, which must outlive it.
  static func make(_ session: TLSSession) -> OpaquePointer? {
    guard let bio = BIO_new(methods.raw) else { return nil }
    BIO_set_data(bio, Unmanaged.passUnretained(session).toOpaque())
    BIO_set_init(bio, 1)
    return bio
  }

  static func session(of bio: OpaquePointer?) -> TLSSession? {
    BIO_get_data(bio).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
  }
}
