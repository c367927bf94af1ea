import Compression
import GRPC
import HTTP2

/// Reading: bytes become messages, messages go to the handler.
extension ServerStream {
  /// The caller may call.
  func admit(_ caller: AnyObject?) {
    guard !hasEnded, case .admitting(let handler) = phase else { return }
    self.caller = caller
    switch handler {
    case .oneRequest(let handler):
      phase = .oneRequest(handler)
      proceed()
    case .manyRequests:
      connection.begin(self)
    }
  }

  /// Whether it takes a stream of requests, and has not begun to.
  var takesMany: Bool {
    switch phase {
    case .admitting(.manyRequests): true
    case .admitting(.oneRequest), .oneRequest, .consuming, .served: false
    }
  }

  /// Makes the consumer of a stream of requests.
  func start() {
    guard !hasEnded, case .admitting(.manyRequests(let makeConsumer)) = phase else { return }
    let consumer = makeConsumer(self)
    guard !hasEnded else { return }
    phase = .consuming(consumer)
    proceed()
  }

  /// Goes on with what is held, after admission or when the consumer is ready.
  private func proceed() {
    if !framer.isEmpty { take(UnsafeRawBufferPointer(start: nil, count: 0)) }
    if flags.contains(.requestEnded) { requestEnded() }
    connection.markDirty()
  }

  /// Bytes of the request, valid until the connection has handled what it read.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    guard !hasEnded else { return }
    unreturnedByteCount += bytes.count
    requestByteCount &+= UInt32(truncatingIfNeeded: bytes.count)
    stillness = 0
    if flags.contains(.webText) { receiveText(bytes) } else { take(bytes) }
  }

  func take(_ bytes: UnsafeRawBufferPointer) {
    switch phase {
    case .admitting:
      framer.hold(bytes)
      returnCredit()
    case .oneRequest:
      takeOne(bytes)
    case .consuming(let consumer):
      if flags.contains(.paused) {
        framer.hold(bytes)
        returnCredit()
      } else {
        takeMany(bytes, consumer)
      }
    case .served:
      break
    }
  }

  private func takeOne(_ bytes: UnsafeRawBufferPointer) {
    guard !flags.contains(.messageComplete) else {
      if !bytes.isEmpty { fail(Self.secondMessage) }
      return
    }
    var rest = bytes
    do throws(FramingError) {
      guard let message = try framer.next(&rest) else { return returnCredit() }
      guard rest.isEmpty, framer.isEmpty else { return fail(Self.secondMessage) }
      flags.insert(.messageComplete)
      if bytes.encloses(message) {
        connection.setPending(message, of: self)
      } else {
        framer.putBack()
        returnCredit()
      }
    } catch {
      fail(error.status)
    }
  }

  private func takeMany(_ bytes: UnsafeRawBufferPointer, _ consumer: any RequestConsumer) {
    var rest = bytes
    flags.insert(.delivering)
    do throws(FramingError) {
      while !hasEnded, let message = try framer.next(&rest) {
        connection.stopAssembling(self)
        guard mayInflate else {
          postpone(message, before: rest, in: bytes)
          break
        }
        guard try !deliver(message, to: consumer) else { continue }
        flags.insert(.paused)
        framer.hold(rest)
        break
      }
    } catch {
      fail(error.status)
    }
    flags.remove(.delivering)
    if hasEnded { releaseRequest() } else { returnCredit() }
  }

  /// Returns whether the next message may come at once.
  private func deliver(
    _ message: UnsafeRawBufferPointer, to consumer: any RequestConsumer
  ) throws(FramingError) -> Bool {
    deliveryNumber &+= 1
    let number = deliveryNumber
    flags.remove(.wasReady)
    var takesMore = false
    try withInflated(message) { message in
      takesMore = consumer.receive(message) { self.consumerIsReady(after: number) }
    }
    return takesMore || flags.contains(.wasReady)
  }

  private func consumerIsReady(after number: UInt16) {
    connection.home.check()
    guard !hasEnded, number == deliveryNumber, !flags.contains(.awaitsInflation) else { return }
    if flags.contains(.delivering) {
      flags.insert(.wasReady)
    } else if flags.contains(.paused) {
      flags.remove(.paused)
      proceed()
    }
  }

  /// The client has half-closed, and all its bytes were taken or are held.
  func requestEnded() {
    flags.insert(.requestEnded)
    guard !hasEnded else { return }
    if flags.contains(.webText), !isTextWhole() { return }
    switch phase {
    case .admitting, .served: return
    case .oneRequest:
      if flags.contains(.messageComplete) {
        connection.begin(self)
      } else if isWhole() {
        fail(Status(.unimplemented, "the request has no message"))
      }
    case .consuming(let consumer):
      if !flags.contains(.paused), isWhole() { consumer.receiveEnd() }
    }
  }

  /// Whether the request ended between two messages; the call fails otherwise (G-051).
  private func isWhole() -> Bool {
    do throws(FramingError) {
      try framer.finish()
      return true
    } catch {
      fail(error.status)
      return false
    }
  }

  /// Calls the handler with the request's one message, which lies in `message` or was kept.
  func serve(_ message: UnsafeRawBufferPointer?) {
    guard !hasEnded, case .oneRequest(let handler) = phase else { return }
    guard mayInflate else {
      if let message { keep(message) }
      return awaitInflation()
    }
    phase = .served
    flags.insert(.delivering)
    do throws(FramingError) {
      try serve(message, handler)
    } catch {
      fail(error.status)
    }
    flags.remove(.delivering)
    releaseRequest()
  }

  private func serve(
    _ message: UnsafeRawBufferPointer?, _ handler: (any ServerCall, UnsafeRawBufferPointer) -> Void
  ) throws(FramingError) {
    if let message {
      try withInflated(message) { handler(self, $0) }
    } else {
      var none = UnsafeRawBufferPointer(start: nil, count: 0)
      guard let message = try framer.next(&none) else { return fail(Status(.internal, "the message was lost")) }
      try withInflated(message) { handler(self, $0) }
    }
  }

  /// Keeps a message that lies in the connection's read buffer, which is about to be used again.
  func keep(_ message: UnsafeRawBufferPointer) {
    guard let start = message.baseAddress else { return }
    let prefix = MessageFramer.prefixByteCount
    framer.hold(UnsafeRawBufferPointer(start: start - prefix, count: message.count + prefix))
    count()
  }

  // MARK: - Compression

  /// Whether the next message can be handed out in this turn: the time that inflation may take of a turn is bounded.
  private var mayInflate: Bool {
    flags.isDisjoint(with: .compressedRequest) || connection.home.inflation.hasTime
  }

  /// Calls `body` with the message as it was before compression; its bytes are valid until that returns.
  private func withInflated(
    _ message: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(FramingError) {
    guard !flags.isDisjoint(with: .compressedRequest), MessageFramer.isCompressed(message) else {
      return body(message)
    }
    flags.insert(.messageWasCompressed)
    defer { flags.remove(.messageWasCompressed) }
    try connection.home.inflation.inflate(
      message, flags.contains(.gzipRequest) ? .gzip : .zlib, limit: framer.maximumMessageByteCount, body)
  }

  /// A message of a stream waits for another turn, and what is behind it.
  private func postpone(
    _ message: UnsafeRawBufferPointer, before rest: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer
  ) {
    if bytes.encloses(message), let start = message.baseAddress {
      let prefix = MessageFramer.prefixByteCount
      framer.hold(UnsafeRawBufferPointer(start: start - prefix, count: prefix + message.count + rest.count))
    } else {
      framer.putBack()
      framer.hold(rest)
    }
    flags.insert(.paused)
    awaitInflation()
  }

  private func awaitInflation() {
    connection.home.inflation.postpone(self)
  }

  /// There is time now.
  func goOnWithInflation() {
    guard !hasEnded else { return }
    switch phase {
    case .oneRequest:
      connection.begin(self)
    case .consuming:
      flags.remove(.paused)
      proceed()
    case .admitting, .served:
      break
    }
    connection.markDirty()
  }

  func fail(_ status: Status) {
    finish(status)
  }

  static let secondMessage = Status(.unimplemented, "the request has more than one message")

  // MARK: - Credit

  /// Returns the credit of what was taken; not of what is held for a consumer that is not ready, nor while the connection
  /// assembles too much (G-092).
  func returnCredit() {
    count()
    guard !hasEnded, !flags.contains(.requestEnded) else { return }
    let isHeld =
      switch phase {
      case .admitting: true
      case .oneRequest, .consuming, .served: flags.contains(.paused)
      }
    let kept = isHeld ? framer.heldByteCount : 0
    guard unreturnedByteCount > kept else { return }
    if countedByteCount > 0, connection.withholdsCredit(of: self) { return }
    connection.session.consume(unreturnedByteCount - kept, streamID: id)
    unreturnedByteCount = kept
    if !isHeld, !flags.contains(.hasSeenNeed) { growWindow() }
  }

  /// A message that is larger than the window would take a round trip for each windowful (G-095).
  private func growWindow() {
    let window = connection.home.limits.streamWindow
    guard framer.missingByteCount > window else { return }
    flags.insert(.hasSeenNeed)
    let growth = connection.mayGrowWindow(
      by: min(framer.missingByteCount, connection.home.limits.grownStreamWindow) - window)
    guard growth > 0 else { return }
    ensuredExtras.windowGrowth = growth
    connection.session.growWindow(of: id, to: window + growth)
  }

  /// Has the connection and the server count what is held now.
  func count() {
    let now = framer.heldByteCount + keptByteCount
    guard now != Int(countedByteCount) else { return }
    connection.didAssemble(now - Int(countedByteCount))
    countedByteCount = UInt32(clamping: now)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether `other` is a part of these bytes.
  fileprivate func encloses(_ other: UnsafeRawBufferPointer) -> Bool {
    guard let start = baseAddress, let otherStart = other.baseAddress else { return false }
    return otherStart >= start && otherStart + other.count <= start + count
  }
}
