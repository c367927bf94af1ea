import GRPC
import NetworkIO
import TLS

/// What TLS does between the socket and the session. Its bytes for the wire lie in the loop's buffers, which are empty
/// again after each of these.
extension ServerConnection {
  /// What a client that reads nothing may make us queue by messages of TLS itself, on top of one write of ours.
  private static let queuedByteLimit = 512 << 10
  /// How long a client that was refused has to read why.
  private static let lastAlertMilliseconds: UInt64 = 2_000

  func receiveSecured(_ bytes: UnsafeRawBufferPointer, _ tls: TLSSession) {
    do throws(TLSError) {
      try tls.receive(bytes) { event in
        // Whatever a handler does to other connections of the loop, it finds the buffers empty.
        sendOutput()
        switch event {
        case .established: secured(tls)
        case .plaintext(let plaintext): receive(plaintext)
        case .ended: isForsaken = true
        }
      }
      sendOutput()
      if socket.queuedByteCount > Self.queuedByteLimit { isBroken = true }
    } catch {
      fail(error)
    }
  }

  func writeSecured(_ bytes: UnsafeRawBufferPointer, _ tls: TLSSession) {
    do throws(TLSError) {
      try tls.send(bytes)
      sendOutput()
    } catch {
      fail(error)
    }
  }

  /// Says close_notify, unless there is no telling when it would leave.
  func finishSecurity() {
    switch security {
    case .clear, .handshaking, .refused: return
    case .secured(let tls):
      guard socket.queuedByteCount == 0 else { return }
      tls.finish()
      sendOutput()
    }
  }

  private func secured(_ tls: TLSSession) {
    security = .secured(tls)
    if let certificate = tls.peerCertificate {
      context.certificate = PeerCertificate(
        subject: certificate.subject, dnsNames: certificate.dnsNames, uris: certificate.uris)
    }
    // Our SETTINGS wait (G-001).
    markDirty()
  }

  private func sendOutput() {
    let buffers = home.tlsBuffers
    guard !buffers.output.isEmpty else { return }
    home.figures.connections.sentByteCount += UInt64(buffers.output.count)
    socket.write(buffers.output)
    buffers.removeOutput()
  }

  /// Sends the alert that says why, and a FIN behind it; the client's own FIN, or some time, ends the connection. To
  /// close at once could take the alert away from a client that is still sending.
  private func fail(_ error: TLSError) {
    sendOutput()
    home.figures.connections.failedSecurityCount += 1
    home.onSecurityProblem(context.peer, error)
    switch security {
    case .handshaking:
      security = .refused
      socket.finishWriting()
      times.closeAt = min(times.closeAt, home.loop.nowMilliseconds + Self.lastAlertMilliseconds)
      hasten(to: times.closeAt)
    case .clear, .secured, .refused:
      isBroken = true
    }
  }
}
