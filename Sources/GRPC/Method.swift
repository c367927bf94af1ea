/// One method of a service: its path and what serves it.
///
/// Methods are made per executor, on it: handlers may capture what belongs to that executor without locks.
package struct Method {
  /// `/package.Service/Method`, case-sensitive (G-031).
  package let path: String
  package let handler: MethodHandler
  /// Largest request message, bytes after decompression (G-056).
  package let maximumRequestByteCount: Int
  /// Whether `ServerCall.metadata` and `authority` are filled; costs a copy of the header block per call.
  package let keepsMetadata: Bool
  /// Whether `Admission` is asked about its calls; else everyone may call.
  package let needsAdmission: Bool
  /// Whether only those who run the server may call it; for `Admission` to judge.
  package let isForOperators: Bool
  /// Whether large answers are compressed for clients that take gzip (G-040). Costs time on the executor, some 10 µs a
  /// KiB, so it is for what is large and not asked for often.
  package let compressesAnswers: Bool
  /// Calls that may be at work at once, over the server (G-079); each loop has an equal share. `nil`: as many as the
  /// server takes in all.
  package let maximumCallsAtWork: Int?
  /// Whether its calls wait for what happens in the world: they are not counted as work (G-079).
  package let isLongLived: Bool

  package init(
    path: String, handler: MethodHandler, maximumRequestByteCount: Int = 4 << 20, keepsMetadata: Bool = false,
    needsAdmission: Bool = true, isForOperators: Bool = false, compressesAnswers: Bool = false,
    maximumCallsAtWork: Int? = nil, isLongLived: Bool = false
  ) {
    self.path = path
    self.handler = handler
    self.maximumRequestByteCount = maximumRequestByteCount
    self.keepsMetadata = keepsMetadata
    self.needsAdmission = needsAdmission
    self.isForOperators = isForOperators
    self.compressesAnswers = compressesAnswers
    self.maximumCallsAtWork = maximumCallsAtWork
    self.isLongLived = isLongLived
  }

  /// `package.Service`; `nil` where the path has no such part.
  package var serviceName: String? { PathParts(path)?.service }
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
