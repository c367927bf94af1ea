/// One call as its handler sees it (G-048).
///
/// A call belongs to the executor (event loop) of its connection: the reference may be carried anywhere, its members
/// are used on that executor only; implementations trap otherwise in debug builds. After the call has ended (trailers
/// handed over, cancelled, deadline passed, connection lost) every sending member is a harmless no-op.
package protocol ServerCall: AnyObject, Sendable {
  /// Where the call lives.
  var executor: any CallExecutor { get }
  /// Whom `Admission` let in; `nil` where the server has none.
  var caller: AnyObject? { get }
  /// The connection that the call came by: the peer's address and certificate.
  var peer: ConnectionContext { get }
  /// When the caller gives up, on the executor's clock (G-036); `nil`: never.
  var deadline: Deadline? { get }
  var hasEnded: Bool { get }
  /// The caller's metadata, kept only where the method asks for it (`Method.keepsMetadata`), else empty.
  var metadata: Metadata { get }
  /// `:authority`, or `host` in its stead (G-033), kept as `metadata` is, else empty.
  var authority: String { get }
  /// Told of the end and of room to write. Kept alive by the call until its end.
  var observer: (any CallObserver)? { get set }
  /// Bytes that wait for the peer to take them; a handler that keeps on sending stops above
  /// `CallLimits.bufferedBytes` and goes on at `callCanSend` (G-091).
  var bufferedByteCount: Int { get }
  /// Bytes of the request that the handler keeps, a copy of the message for example, until it sets 0 or the call ends. They
  /// count among those of messages being assembled (docs/architecture.md, Limits).
  var keptByteCount: Int { get set }
  /// Bytes of trailers that the client takes at most, its SETTINGS_MAX_HEADER_LIST_SIZE; details of a status are made
  /// to fit (G-075).
  var trailerLimit: Int { get }

  /// Whether the message that is being handed to the handler came compressed (G-039); `false` outside of that.
  var messageWasCompressed: Bool { get }
  /// Whether the next messages are compressed where the method asks for it and the client takes it; `true` until set.
  /// What the response headers have not announced cannot be compressed: `sendHeaders` announces.
  var compressesMessages: Bool { get set }

  /// Metadata to go with the response headers; only before the first `send`, once.
  func setInitialMetadata(_ metadata: Metadata)
  /// Sends the response headers now instead of with the first message (G-077).
  func sendHeaders()
  /// Sends one message of `byteCount` bytes, written in place by `write`, which must fill the whole buffer.
  func send(byteCount: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void)
  /// Puts `message` in the place of any offered message that has not begun to leave: the newest wins
  /// (docs/architecture.md, Fan-out). Costs nothing but the references while the peer's window is closed.
  func offer(_ message: SharedMessage, to subscriber: any BroadcastSubscriber)
  /// Ends the call after what was sent. Trailers-only where nothing was (G-068).
  func finish(_ status: Status)
}

/// Told what happens to a call; on the call's executor.
package protocol CallObserver: AnyObject {
  /// The call is over: finished by us, cancelled, late or cut. Exactly once; nothing is told after it.
  func callEnded(_ call: any ServerCall, _ end: CallEnd)
  /// What was buffered has fallen below half of the bound again.
  func callCanSend(_ call: any ServerCall)
}

package enum CallEnd: Hashable, Sendable {
  /// The trailers are on their way.
  case finished(StatusCode)
  /// RST_STREAM by the client, its code.
  case cancelled(errorCode: UInt32)
  case deadlineExceeded
  case connectionLost
}

/// An event loop as the layers above the transport see it.
package protocol CallExecutor: SerialExecutor, TaskExecutor {
  /// Whether the calling thread is this executor's.
  var isCurrent: Bool { get }
  /// Runs `work` on the executor, in the order of the calls, never within this call. From any thread.
  func execute(_ work: @escaping @Sendable () -> Void)
  /// Runs `work` when this turn of the executor has done all else; asked for within such work, at the end of the next
  /// turn, so that other calls get through in between. On the executor only.
  func afterTurn(_ work: @escaping () -> Void)
  /// Milliseconds on a clock that never goes back; cached once per turn. On the executor only.
  var nowMilliseconds: UInt64 { get }
}

/// A moment on the executor's clock.
package struct Deadline: Hashable, Comparable, Sendable {
  package let milliseconds: UInt64

  package init(milliseconds: UInt64) {
    self.milliseconds = milliseconds
  }

  package static func < (a: Deadline, b: Deadline) -> Bool { a.milliseconds < b.milliseconds }
}
