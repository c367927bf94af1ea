/// Decides who may call, from the headers alone (G-047). One per executor.
package protocol Admission: AnyObject {
  /// `head` is valid during the call only.
  func admit(
    _ head: RequestHead, to method: Method, call: any ServerCall, connection: ConnectionContext
  ) -> AdmissionDecision
}

package enum AdmissionDecision {
  case admitted(AnyObject?)
  case refused(Status)
  /// Decided later: by `AdmissionTicket` on the same executor. The request's bytes are held back meanwhile, bounded.
  case pending(AdmissionTicket)
}

/// Resolves a pending admission, once.
package final class AdmissionTicket {
  package enum Resolution {
    case admitted(AnyObject?)
    case refused(Status)
  }

  private var resolution: Resolution?
  private var waiter: ((Resolution) -> Void)?

  package init() {}

  package func resolve(_ resolution: Resolution) {
    guard self.resolution == nil else { return }
    self.resolution = resolution
    waiter?(resolution)
    waiter = nil
  }

  /// For the transport: calls `body` with the resolution, at once where it is known.
  package func whenResolved(_ body: @escaping (Resolution) -> Void) {
    if let resolution { body(resolution) } else { waiter = body }
  }
}

/// What is known of the connection a call came on.
package final class ConnectionContext {
  /// `address:port` of the peer, for logs.
  package let peer: String
  /// Whether AdminService is served on the listener it came in by (docs/architecture.md, Callers).
  package let allowsAdmin: Bool
  /// What the client has shown of itself on a TLS connection, before its first call; `nil` where nothing.
  package var certificate: PeerCertificate?
  /// For `Admission`'s own use, for example the last key seen and whose it is.
  package var admissionState: AnyObject?

  package init(peer: String, allowsAdmin: Bool) {
    self.peer = peer
    self.allowsAdmin = allowsAdmin
  }
}
