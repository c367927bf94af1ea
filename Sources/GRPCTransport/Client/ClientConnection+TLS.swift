import NetworkIO
import TLS

/// What TLS does between the socket and the session. Its bytes for the wire lie in the channel's buffers, which are empty
/// again after each of these.
extension ClientConnection {
  /// What a server that reads nothing may make us queue by messages of TLS itself, on top of one write of ours.
  private static let queuedByteLimit = 512 << 10

  func beginSecurity() {
    guard case .handshaking(let tls) = security else { return }
    guarded { () throws(TLSError) in try tls.start() }
  }

  func receiveSecured(_ bytes: UnsafeRawBufferPointer, _ tls: TLSSession) {
    guarded { () throws(TLSError) in
      try tls.receive(bytes) { event in
        switch event {
        case .established:
          security = .secured(tls)
          markDirty()
        case .plaintext(let plaintext): receive(plaintext)
        case .ended: breakDown(nil)
        }
      }
    }
    if socket.queuedByteCount > Self.queuedByteLimit { breakDown("the server does not read") }
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    switch security {
    case .clear: socket.write(bytes)
    case .secured(let tls): guarded { () throws(TLSError) in try tls.send(bytes) }
    case .handshaking: break
    }
  }

  /// Says close_notify, unless there is no telling when it would leave.
  func finishSecurity() {
    guard case .secured(let tls) = security, !isClosed, socket.queuedByteCount == 0 else { return }
    tls.finish()
    sendOutput()
  }

  /// Sends what TLS has to say, also where it fails: the alert that says why is in it.
  private func guarded(_ body: () throws(TLSError) -> Void) {
    do throws(TLSError) {
      try body()
    } catch {
      breakDown("\(error)")
    }
    sendOutput()
  }

  private func sendOutput() {
    let buffers = channel.tlsBuffers
    guard !buffers.output.isEmpty else { return }
    socket.write(buffers.output)
    buffers.removeOutput()
  }
}
