import GRPC
import HTTP2

/// Writing: what handlers send waits here until nghttp2 asks for it.
extension ServerStream {
  private static let fairShareByteCount = 16 << 10

  /// Above the bound also where the whole connection has too much to send; `callCanSend` comes in either case.
  var bufferedByteCount: Int {
    let own = output?.byteCount ?? 0
    if own > CallLimits.bufferedBytes {
      flags.insert(.waitsToSend)
    } else if connection.isFull, !hasEnded {
      connection.awaitRoom(self)
      return CallLimits.bufferedBytes + 1
    }
    return own
  }

  func setInitialMetadata(_ metadata: Metadata) {
    connection.home.check()
    guard !hasEnded, !flags.contains(.headersSubmitted) else { return }
    ensuredExtras.initialMetadata = metadata
  }

  func sendHeaders() {
    connection.home.check()
    guard !hasEnded else { return }
    if flags.contains(.mayAnswerGzip), !flags.contains(.headersSubmitted) { flags.insert(.answersGzip) }
    submitHeaders()
    connection.markDirty()
  }

  private func submitHeaders() {
    guard !flags.contains(.headersSubmitted) else { return }
    flags.insert(.headersSubmitted)
    let session = connection.session
    if flags.contains(.web) {
      addWebHeaders()
    } else if let metadata = extras?.initialMetadata, !metadata.fields.isEmpty {
      connection.addFields {
        $0.appendResponseHeaders(terms, metadata: metadata, limit: connection.trailerLimit)
      }
    } else {
      session.addField(":status", "200")
      session.addField("content-type", terms.contentType.text)
      if flags.contains(.answersGzip) { session.addField("grpc-encoding", "gzip") }
      if flags.contains(.namesEncodings) { session.addField("grpc-accept-encoding", Encoding.served) }
    }
    session.submitHeaders(streamID: id, endsStream: false)
  }

  func send(byteCount: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
    connection.home.check()
    guard !hasEnded, mayHaveLength(byteCount) else { return }
    if flags.contains(.mayAnswerGzip), sendCompressed(byteCount: byteCount, write) { return }
    send(byteCount: byteCount, isCompressed: false, write)
  }

  /// Ends the call where the message is too large (G-061).
  private func mayHaveLength(_ byteCount: Int) -> Bool {
    let limit = connection.home.limits.responseMessageBytes
    guard byteCount > limit else { return true }
    let text = "answer of \(byteCount) bytes is larger than the limit of \(limit) bytes"
    finish(Status(.resourceExhausted, text))
    return false
  }

  /// Compresses the message, where it is large enough and there is time. Returns `false` where it was not sent.
  private func sendCompressed(byteCount: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) -> Bool {
    guard !flags.contains(.leavesPlain) else { return false }
    // What the headers have not said cannot be said any more.
    guard flags.contains(.answersGzip) || !flags.contains(.headersSubmitted) else { return false }
    let desk = connection.home.deflation
    guard desk.takes(byteCount) else { return false }
    flags.insert(.answersGzip)
    desk.deflate(byteCount: byteCount, write) { message, isCompressed in
      send(byteCount: message.count, isCompressed: isCompressed) { $0.copyMemory(from: message) }
    }
    return true
  }

  private func send(byteCount: Int, isCompressed: Bool, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
    submitHeaders()
    if offered != nil { settleOffer() }
    let output = ensuredOutput()
    let before = output.byteCount
    countSent(byteCount)
    if flags.contains(.webText) {
      appendText(byteCount: byteCount, to: output, write)
    } else {
      let room = output.append(MessageFramer.prefixByteCount + byteCount)
      Self.writePrefix(of: byteCount, into: room)
      if isCompressed { room[0] = 1 }
      write(UnsafeMutableRawBufferPointer(rebasing: room[MessageFramer.prefixByteCount...]))
    }
    connection.didBuffer(output.byteCount - before)
    if output.byteCount > Self.fairShareByteCount, !flags.contains(.fair) {
      flags.insert(.fair)
      connection.session.shareFairly(streamID: id)
    }
    activateBody()
  }

  func offer(_ message: SharedMessage, to subscriber: any BroadcastSubscriber) {
    connection.home.check()
    guard !hasEnded else { return }
    self.subscriber = subscriber
    offer(message)
  }

  /// Offers to the subscriber that is known already.
  func offer(_ message: SharedMessage) {
    guard mayHaveLength(message.bytes.count) else { return }
    submitHeaders()
    offered = message
    activateBody()
  }

  /// A message of `byteCount` bytes is on its way.
  private func countSent(_ byteCount: Int) {
    responseByteCount &+= UInt32(truncatingIfNeeded: MessageFramer.prefixByteCount + byteCount)
  }

  private func activateBody() {
    if !flags.contains(.bodyActive) {
      flags.insert(.bodyActive)
      connection.session.submitBody(streamID: id)
    }
    connection.markDirty()
  }

  func ensuredOutput() -> StreamOutput {
    if let output { return output }
    let taken = connection.home.outputs.take()
    output = taken
    return taken
  }

  static func writePrefix(of byteCount: Int, into room: UnsafeMutableRawBufferPointer) {
    room[0] = 0
    room.storeBytes(of: UInt32(byteCount).bigEndian, toByteOffset: 1, as: UInt32.self)
  }

  // MARK: - nghttp2 asks

  /// Fills `buffer` with what waits: bytes sent, what is left of a message begun, then the newest offer.
  func readBody(into buffer: UnsafeMutableRawBufferPointer) -> HTTP2BodyRead {
    var filled = readOutput(into: buffer)
    while output?.isEmpty ?? true {
      guard let message = offered, let subscriber else {
        guard owesWebTrailers else { return bodyHasLeft(filled) }
        appendWebTrailers()
        filled += readOutput(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
        continue
      }
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      if !flags.contains(.webText), let written = Self.write(message, for: subscriber, into: room) {
        offered = nil
        countSent(written - MessageFramer.prefixByteCount)
        filled += written
      } else if filled == 0 {
        settleOffer()
        filled = readOutput(into: buffer)
      } else {
        break
      }
    }
    return .bytes(filled)
  }

  private func readOutput(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let output else { return 0 }
    let read = output.read(into: buffer)
    connection.didBuffer(-read.own)
    if flags.contains(.waitsToSend), output.byteCount < CallLimits.bufferedBytes / 2 {
      flags.remove(.waitsToSend)
      connection.owesRoom(to: self)
    }
    return read.all
  }

  private func bodyHasLeft(_ filled: Int) -> HTTP2BodyRead {
    if let output {
      self.output = nil
      connection.home.outputs.giveBack(output)
    }
    flags.remove(.bodyActive)
    if membership == nil { subscriber = nil }
    if flags.contains(.webTrailersSent) { return .end(filled) }
    if flags.contains(.finishing) { submitTrailers(extras?.finalStatus ?? .ok) }
    return .pause(filled)
  }

  /// Writes the whole message if there is room for it.
  private static func write(
    _ message: SharedMessage, for subscriber: any BroadcastSubscriber, into room: UnsafeMutableRawBufferPointer
  ) -> Int? {
    let shared = message.bytes.count
    let own = subscriber.prefixByteCount(before: shared)
    let start = MessageFramer.prefixByteCount + own
    guard room.count >= start + shared else { return nil }
    writePrefix(of: own + shared, into: room)
    subscriber.writePrefix(
      before: shared, into: UnsafeMutableRawBufferPointer(rebasing: room[MessageFramer.prefixByteCount..<start]))
    message.bytes.withUnsafeBytes { room[start...].copyBytes(from: $0) }
    return start + shared
  }

  /// Makes an offer a message that is being sent: its prefix is written, the shared bytes follow by reference.
  private func settleOffer() {
    guard let message = offered, let subscriber else { return }
    offered = nil
    let output = ensuredOutput()
    let shared = message.bytes.count
    let own = subscriber.prefixByteCount(before: shared)
    let before = output.byteCount
    countSent(own + shared)
    if flags.contains(.webText) {
      appendText(byteCount: own + shared, to: output) { room in
        subscriber.writePrefix(before: shared, into: UnsafeMutableRawBufferPointer(rebasing: room[..<own]))
        UnsafeMutableRawBufferPointer(rebasing: room[own...]).copyBytes(from: message.bytes)
      }
    } else {
      let room = output.append(MessageFramer.prefixByteCount + own)
      Self.writePrefix(of: own + shared, into: room)
      subscriber.writePrefix(
        before: shared, into: UnsafeMutableRawBufferPointer(rebasing: room[MessageFramer.prefixByteCount...]))
      output.appendShared(message)
    }
    connection.didBuffer(output.byteCount - before)
  }

  // MARK: - End

  /// Sends the status behind all else; in one block with the headers where nothing else was sent (G-068).
  func conclude(_ status: Status) {
    if !flags.contains(.headersSubmitted) {
      flags.insert(.headersSubmitted)
      let metadata = extras?.initialMetadata ?? Metadata()
      connection.addFields {
        $0.appendTrailersOnly(status, terms, metadata: metadata, limit: connection.trailerLimit)
        if flags.contains(.web) { $0.appendCORSHeaders(origin: extras?.webOrigin ?? []) }
      }
      connection.session.submitHeaders(streamID: id, endsStream: true)
    } else if flags.contains(.bodyActive) || flags.contains(.web) {
      if !flags.contains(.bodyActive) { activateBody() }
      flags.insert(.finishing)
      if !status.isPlainOK { ensuredExtras.finalStatus = status }
    } else {
      submitTrailers(status)
    }
    connection.markDirty()
  }

  private func submitTrailers(_ status: Status) {
    if status.isPlainOK {
      connection.session.addField("grpc-status", "0")
    } else {
      connection.addFields { $0.appendTrailers(status, limit: connection.trailerLimit) }
    }
    connection.session.submitTrailers(streamID: id)
  }
}

extension Status {
  /// OK and nothing else to say.
  fileprivate var isPlainOK: Bool {
    code == .ok && message.isEmpty && details.isEmpty && trailers.fields.isEmpty
  }
}
