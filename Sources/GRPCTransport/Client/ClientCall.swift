package import GRPC
import HTTP2
import NetworkIO

/// Takes what comes of a call, on the channel's loop. Kept alive by the call until its end.
package protocol ClientCallHandler: AnyObject {
  /// The answer has begun: it will not be tried again. Not called where the server gives nothing but a status.
  /// `metadata` is empty unless the call keeps it (`CallOptions.keepsMetadata`).
  func call(_ call: ClientCall, receivedHeaders metadata: Metadata)
  /// One message, valid during the call only. Returns whether the next may come at once; if `false`, the handler asks for
  /// it with `ClientCall.resume()` later, and the stream's window stays closed meanwhile.
  func call(_ call: ClientCall, received message: UnsafeRawBufferPointer) -> Bool
  /// What was buffered has fallen below half of the bound again (`ClientCall.bufferedByteCount`).
  func callCanSend(_ call: ClientCall)
  /// The call is over, all messages that came before its end were given. Exactly once; nothing is told after it. The
  /// server's trailing metadata is in `status.trailers` where the call keeps metadata.
  func callEnded(_ call: ClientCall, _ status: Status)
}

/// One call of a channel, all its attempts; the context of their HTTP/2 streams. Belongs to the channel's loop, where all
/// its members are used; debug builds trap otherwise. After the end of the call every member is a harmless no-op.
///
/// `@unchecked Sendable`: the reference may be carried anywhere, everything is touched on the loop only.
package final class ClientCall: DeadlineHolder, @unchecked Sendable {
  struct Flags: OptionSet {
    let rawValue: UInt32

    static let ended = Flags(rawValue: 1 << 0)
    /// Ends at the end of the turn.
    static let doomed = Flags(rawValue: 1 << 1)
    /// Stands in the channel's queue.
    static let queued = Flags(rawValue: 1 << 2)
    /// The caller has sent its last message.
    static let halfClosed = Flags(rawValue: 1 << 3)

    // Of the present attempt:

    /// nghttp2 asks for the body, until `readBody` says `pause` or `end`.
    static let bodyActive = Flags(rawValue: 1 << 4)
    /// END_STREAM has gone to nghttp2.
    static let requestSent = Flags(rawValue: 1 << 5)
    /// END_STREAM has come.
    static let remoteEnded = Flags(rawValue: 1 << 6)
    /// nghttp2 has let go of the stream.
    static let streamClosed = Flags(rawValue: 1 << 7)
    static let ofAttempt: Flags = [.bodyActive, .requestSent, .remoteEnded, .streamClosed]

    /// The answer has begun: there is no other attempt (gRFC A6, "committed").
    static let answered = Flags(rawValue: 1 << 8)
    static let messageReceived = Flags(rawValue: 1 << 9)
    /// The handler takes no message until it says so.
    static let paused = Flags(rawValue: 1 << 10)
    /// A message is with the handler: what it lies in must stay.
    static let delivering = Flags(rawValue: 1 << 11)
    /// `resume` was called while a message was being delivered.
    static let wasResumed = Flags(rawValue: 1 << 12)
    /// `callCanSend` is owed.
    static let waitsToSend = Flags(rawValue: 1 << 13)
    /// The server has left the call out once, and it was sent again.
    static let sentAnew = Flags(rawValue: 1 << 14)
  }

  enum Phase {
    /// For a connection, or for the server to allow one more stream.
    case waiting
    case open(ClientConnection, streamID: Int32)
    /// Until the next attempt.
    case backingOff(any ChannelTimer)
    case ended
  }

  package let channel: ClientChannel
  package let method: ClientMethod
  let options: CallOptions
  let deadlineMilliseconds: UInt64
  var deadlinePlace: Int32 = -1
  var flags: Flags = []
  var phase = Phase.waiting
  var handler: (any ClientCallHandler)?

  var request: RequestBuffer?
  /// As counted by the channel.
  var keptByteCount = 0

  var framer: MessageFramer
  /// Bytes received whose credit has not been returned.
  var unreturnedByteCount = 0
  /// How the call ends when the handler has taken the messages that are held.
  var pendingEnd: Status?

  /// Attempts made after the first, those left out that the server has not seen.
  var retryCount = 0
  /// Those since the server has named a time itself (gRFC A6, "Pushback").
  var backoffStep = 0

  init(
    channel: ClientChannel, method: ClientMethod, options: CallOptions, handler: any ClientCallHandler
  ) {
    self.channel = channel
    self.method = method
    self.options = options
    self.handler = handler
    framer = MessageFramer(
      maximumMessageByteCount: options.maximumResponseByteCount ?? channel.configuration.maximumResponseByteCount)
    guard let timeout = options.timeoutMilliseconds else {
      deadlineMilliseconds = .max
      return
    }
    let (sum, overflows) = channel.now.addingReportingOverflow(timeout)
    deadlineMilliseconds = overflows ? .max : sum
  }

  package var hasEnded: Bool { flags.contains(.ended) }

  /// Ends the call with CANCELLED, which the handler is told within this call; the server is told too.
  package func cancel() {
    channel.check()
    end(.cancelledByCaller)
  }

  /// Milliseconds that are left; `nil`: no limit.
  var remainingMilliseconds: UInt64? {
    guard deadlineMilliseconds != .max else { return nil }
    let now = channel.now
    return deadlineMilliseconds > now ? deadlineMilliseconds - now : 0
  }

  /// Whether this is the call's present stream: earlier attempts have the same context.
  func isOpen(on connection: ClientConnection, _ streamID: Int32) -> Bool {
    switch phase {
    case .open(let present, let id): present === connection && id == streamID
    case .waiting, .backingOff, .ended: false
    }
  }

  // MARK: - End

  func deadlinePassed() {
    guard case .waiting = phase, let failure = channel.lastFailure else { return end(.deadlinePassed) }
    end(Status(.deadlineExceeded, "the deadline has passed without a connection: \(failure.message)"))
  }

  /// Tells the handler that the call is over and lets go of all that is its.
  func end(_ status: Status) {
    guard !hasEnded else { return }
    flags.insert(.ended)
    leaveStream()
    switch phase {
    case .waiting, .open, .ended: break
    case .backingOff(let timer): timer.close()
    }
    phase = .ended
    pendingEnd = nil
    releaseRequest()
    if !flags.contains(.delivering) { releaseResponse() }
    channel.callEnded(self)
    guard let handler else { return }
    self.handler = nil
    handler.callEnded(self, status)
  }

  /// Ends the present attempt: the server is told, unless it has ended it itself.
  func leaveStream() {
    guard case .open(let connection, let id) = phase, !flags.contains(.streamClosed) else { return }
    if !flags.contains(.remoteEnded) {
      connection.reset(id)
    } else if !flags.contains(.requestSent) {
      connection.resetUnlessClosed(id)
    }
  }

  func releaseResponse() {
    framer = MessageFramer(maximumMessageByteCount: 0)
  }
}
