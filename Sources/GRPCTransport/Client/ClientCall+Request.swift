import GRPC
import HTTP2

/// Writing: what the caller sends waits here until nghttp2 asks for it, and longer where it may be needed again.
extension ClientCall {
  /// Bytes that wait for the server to take them, a connection that is not there yet included; who keeps on sending stops
  /// above `CallLimits.bufferedBytes` and goes on at `callCanSend`.
  package var bufferedByteCount: Int {
    let unsent = request?.unsentByteCount ?? 0
    if unsent > CallLimits.bufferedBytes { flags.insert(.waitsToSend) }
    return unsent
  }

  /// Sends one message of `byteCount` bytes, written in place by `write`, which must fill the whole buffer. Where the
  /// method takes one message only, the request ends with it. The call fails where the message is above the limit.
  package func send(byteCount: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
    channel.check()
    guard flags.isDisjoint(with: [.ended, .doomed, .halfClosed]) else { return }
    let limit = channel.configuration.maximumRequestByteCount
    guard byteCount <= limit, byteCount <= Int(UInt32.max) else {
      let text = "the request of \(byteCount) bytes is larger than the limit of \(limit) bytes"
      return channel.endSoon(self, Status(.resourceExhausted, text))
    }
    let room = ensuredRequest().append(MessageFramer.prefixByteCount + byteCount)
    room[0] = 0
    room.storeBytes(of: UInt32(byteCount).bigEndian, toByteOffset: 1, as: UInt32.self)
    write(UnsafeMutableRawBufferPointer(rebasing: room[MessageFramer.prefixByteCount...]))
    if method.takesOneMessage { flags.insert(.halfClosed) }
    forgetSentIfTooMuch()
    activateBody()
  }

  package func send(_ message: [UInt8]) {
    send(byteCount: message.count) { $0.copyBytes(from: message) }
  }

  /// Half-closes: the request has no more messages.
  package func finishSending() {
    channel.check()
    guard flags.isDisjoint(with: [.ended, .doomed, .halfClosed]) else { return }
    flags.insert(.halfClosed)
    activateBody()
  }

  private func ensuredRequest() -> RequestBuffer {
    if let request { return request }
    let taken = channel.requestBuffers.take()
    request = taken
    if flags.contains(.answered) { taken.forgetSent() }
    return taken
  }

  private func activateBody() {
    guard case .open(let connection, let id) = phase, !flags.contains(.streamClosed) else { return }
    if !flags.contains(.bodyActive), !flags.contains(.requestSent) {
      flags.insert(.bodyActive)
      connection.session.submitBody(streamID: id)
    }
    connection.markDirty()
  }

  /// Whether the request has neither a message nor will have one: it ends with its headers.
  var hasNoBody: Bool {
    flags.contains(.halfClosed) && (request?.unsentByteCount ?? 0) == 0
  }

  /// nghttp2 asks for the body.
  func readBody(into buffer: UnsafeMutableRawBufferPointer, for connection: ClientConnection) -> HTTP2BodyRead {
    let count = request?.read(into: buffer) ?? 0
    let unsent = request?.unsentByteCount ?? 0
    if flags.contains(.waitsToSend), unsent < CallLimits.bufferedBytes / 2 {
      flags.remove(.waitsToSend)
      connection.owesRoom(to: self)
    }
    countKept()
    guard unsent == 0 else { return .bytes(count) }
    flags.remove(.bodyActive)
    guard flags.contains(.halfClosed) else { return .pause(count) }
    flags.insert(.requestSent)
    return .end(count)
  }

  // MARK: - What may be sent again

  /// Whether the whole request is still there.
  var canSendAgain: Bool { request?.isWhole ?? true }

  func forgetSent() {
    request?.forgetSent()
    countKept()
  }

  private func forgetSentIfTooMuch() {
    countKept()
    let configuration = channel.configuration
    if keptByteCount > configuration.retryBytesPerCall || channel.keptByteCount > configuration.retryBytesPerChannel {
      forgetSent()
    }
  }

  /// Has the channel count what is kept.
  func countKept() {
    let kept = request.map { $0.keepsSent ? $0.heldByteCount : 0 } ?? 0
    channel.keptByteCount += kept - keptByteCount
    keptByteCount = kept
  }

  func releaseRequest() {
    guard let request else { return }
    self.request = nil
    countKept()
    channel.requestBuffers.giveBack(request)
  }
}
