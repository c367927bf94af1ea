/// One method of a service: its path and what serves it.
///
/// Methods are made per executor, on it: handlers may capture what belongs to that executor without locks.
package struct Method {
  /// `/package.Service/Method`, case-sensitive (G-031).
  package let path: String
  package let handler: MethodHandler
  /// Largest request message, bytes after decompression (G-056).
  package let maximumRequestByteCount: Int
  /// Whether `ServerCall.metadata` is filled; costs a copy of the header block per call.
  package let keepsMetadata: Bool

  package init(
    path: String, handler: MethodHandler, maximumRequestByteCount: Int = 4 << 20, keepsMetadata: Bool = false
  ) {
    self.path = path
    self.handler = handler
    self.maximumRequestByteCount = maximumRequestByteCount
    self.keepsMetadata = keepsMetadata
  }
}

/// What serves a method; called on the call's executor.
package enum MethodHandler {
  /// Unary and server streaming: exactly one request message, whose bytes are valid during the call only. The handler
  /// answers at once or keeps the `ServerCall` and answers later. The transport sees to cardinality (G-058, G-059).
  case oneRequest((any ServerCall, UnsafeRawBufferPointer) -> Void)
  /// Client streaming and both: messages as they come.
  case manyRequests((any ServerCall) -> any RequestConsumer)
}

/// Takes the messages of a client stream, on the call's executor. Kept alive by the call until its end.
package protocol RequestConsumer: AnyObject {
  /// One message, valid during the call only. Returns whether the next may come at once; if `false`, the consumer asks
  /// for it with `ready` later, and the stream's window stays closed meanwhile (G-092).
  func receive(_ message: UnsafeRawBufferPointer, ready: @escaping () -> Void) -> Bool
  /// The client has half-closed: no more messages (G-085).
  func receiveEnd()
}

/// The methods of one executor, by path.
package struct Router {
  private var methods: [String: Method] = [:]

  package init(_ methods: [Method]) {
    for method in methods { self.methods[method.path] = method }
  }

  package subscript(path: String) -> Method? { methods[path] }
}

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
  /// Whether AdminService is served on the listener it came in by (DESIGN §5).
  package let allowsAdmin: Bool
  /// For `Admission`'s own use, for example the last key seen and whose it is.
  package var admissionState: AnyObject?

  package init(peer: String, allowsAdmin: Bool) {
    self.peer = peer
    self.allowsAdmin = allowsAdmin
  }
}
