import GRPC
import HTTP2

/// Reading: the answer becomes metadata, messages and a status.
extension ClientCall {
  /// Headers or trailers.
  func received(_ head: ResponseHead, endsStream: Bool) {
    if endsStream {
      flags.insert(.remoteEnded)
      let isFirst = !flags.contains(.answered)
      let status = head.status(isTrailersOnly: isFirst, keepsMetadata: options.keepsMetadata)
      return conclude(status, pushback: head.pushback)
    }
    // Informational answers come before the answer.
    guard !(100..<200).contains(head.httpStatus) else { return }
    guard !flags.contains(.answered) else {
      return conclude(Status(.internal, "the server has sent its headers twice"))
    }
    if let refusal = head.refusal { return conclude(refusal) }
    flags.insert(.answered)
    forgetSent()
    handler?.call(self, receivedHeaders: options.keepsMetadata ? head.metadata() : Metadata())
  }

  /// Bytes of the answer, valid during the call only.
  func received(_ bytes: UnsafeRawBufferPointer) {
    unreturnedByteCount += bytes.count
    if flags.contains(.paused) {
      framer.hold(bytes)
    } else {
      takeMessages(bytes)
    }
  }

  private func takeMessages(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    flags.insert(.delivering)
    do throws(FramingError) {
      while !hasEnded, let message = try framer.next(&rest) {
        guard !deliver(message) else { continue }
        flags.insert(.paused)
        framer.hold(rest)
        break
      }
    } catch {
      pendingEnd = nil
      conclude(Status(error))
    }
    flags.remove(.delivering)
    if hasEnded { releaseResponse() } else { returnCredit() }
  }

  /// Returns whether the next message may come at once.
  private func deliver(_ message: UnsafeRawBufferPointer) -> Bool {
    if method.givesOneMessage, flags.contains(.messageReceived) {
      pendingEnd = nil
      conclude(Status(.unimplemented, "the answer has more than one message"))
      return true
    }
    flags.insert(.messageReceived)
    flags.remove(.wasResumed)
    guard let handler else { return true }
    return handler.call(self, received: message) || flags.contains(.wasResumed)
  }

  /// Has the messages come again, after the handler has refused the next one.
  package func resume() {
    channel.check()
    guard !hasEnded else { return }
    if flags.contains(.delivering) {
      flags.insert(.wasResumed)
    } else if flags.contains(.paused) {
      flags.remove(.paused)
      takeMessages(UnsafeRawBufferPointer(start: nil, count: 0))
      if !flags.contains(.paused), let status = pendingEnd { finish(status, pushback: nil) }
      if case .open(let connection, _) = phase { connection.markDirty() }
    }
  }

  /// Returns the credit of what was taken, not of what is held for a handler that is not ready: a message that is being
  /// assembled gets it whatever the window, up to the limit of messages (G-092).
  private func returnCredit() {
    guard case .open(let connection, let id) = phase, !flags.contains(.remoteEnded) else { return }
    let kept = flags.contains(.paused) ? framer.heldByteCount : 0
    guard unreturnedByteCount > kept else { return }
    connection.session.consume(unreturnedByteCount - kept, streamID: id)
    unreturnedByteCount = kept
    connection.markDirty()
  }

  /// END_STREAM without trailers.
  func remoteEnded() {
    flags.insert(.remoteEnded)
    conclude(Status(streamEndedWith: .noError))
  }

  /// nghttp2 has let go of the stream.
  func streamClosed(_ code: HTTP2ErrorCode) {
    flags.insert(.streamClosed)
    guard pendingEnd == nil else { return }
    // A server that keeps the deadline itself may be a moment earlier.
    if channel.now >= deadlineMilliseconds { return deadlinePassed() }
    conclude(Status(streamEndedWith: code), isUnprocessed: code == .refusedStream)
  }

  func connectionLost(_ status: Status) {
    flags.insert(.streamClosed)
    guard pendingEnd == nil else { return }
    conclude(status)
  }

  // MARK: - End

  /// The attempt is over by what the server or the connection did.
  ///
  /// - Parameter isUnprocessed: Whether the server has certainly not looked at the call.
  func conclude(
    _ status: Status, pushback: ResponseHead.Pushback? = nil, isUnprocessed: Bool = false
  ) {
    guard !hasEnded, pendingEnd == nil else { return }
    if flags.contains(.paused) {
      pendingEnd = status
    } else if flags.contains(.answered) || !willTryAgain(status, pushback, isUnprocessed) {
      finish(status, pushback: pushback)
    }
  }

  private func finish(_ status: Status, pushback: ResponseHead.Pushback?) {
    if flags.contains(.answered) { noteOutcome(status.code, pushback) }
    end(judged(status))
  }

  /// An answer that is said to be good may lack something.
  private func judged(_ status: Status) -> Status {
    guard status.code == .ok else { return status }
    if !framer.isEmpty { return Status(FramingError.truncated) }
    if method.givesOneMessage, !flags.contains(.messageReceived) {
      return Status(.unimplemented, "the answer has no message")
    }
    return status
  }
}
