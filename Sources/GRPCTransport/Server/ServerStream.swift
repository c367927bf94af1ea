import GRPC
import HTTP2
import NetworkIO
import Synchronization

/// One call at the server, and the context of its HTTP/2 stream. Small, since a subscription lives for hours: what only
/// a busy call needs is borrowed while it is busy.
///
/// `@unchecked Sendable`: everything is touched on the loop of `connection` only, which debug builds check.
final class ServerStream: ServerCall, DeadlineHolder, @unchecked Sendable {
  struct Flags: OptionSet {
    let rawValue: UInt32

    /// The call is over for its handler; what was sent may still have to leave.
    static let ended = Flags(rawValue: 1 << 0)
    /// nghttp2 has let go of the stream.
    static let closed = Flags(rawValue: 1 << 1)
    /// The client has half-closed (G-085).
    static let requestEnded = Flags(rawValue: 1 << 2)
    /// The one message of the request is here.
    static let messageComplete = Flags(rawValue: 1 << 3)
    static let headersSubmitted = Flags(rawValue: 1 << 4)
    /// nghttp2 asks for the body, until `readBody` says `pause`.
    static let bodyActive = Flags(rawValue: 1 << 5)
    /// The trailers go when the body has left.
    static let finishing = Flags(rawValue: 1 << 6)
    /// The consumer takes no message until it says so (G-092).
    static let paused = Flags(rawValue: 1 << 7)
    /// A message is with its handler: what it lies in must stay.
    static let delivering = Flags(rawValue: 1 << 8)
    /// `ready` was called while a message was being delivered.
    static let wasReady = Flags(rawValue: 1 << 9)
    /// `callCanSend` is owed.
    static let waitsToSend = Flags(rawValue: 1 << 10)
    /// The stream shares the connection byte by byte.
    static let fair = Flags(rawValue: 1 << 11)
    /// Credit is withheld, the connection assembles too much.
    static let starved = Flags(rawValue: 1 << 12)
    static let protoSuffix = Flags(rawValue: 1 << 13)
    /// The message waits until responses have left.
    static let heldBack = Flags(rawValue: 1 << 14)
    /// Messages of the request may be gzip.
    static let gzipRequest = Flags(rawValue: 1 << 15)
    /// Messages of the request may be zlib.
    static let zlibRequest = Flags(rawValue: 1 << 16)
    /// The message waits for a turn that has time to inflate it.
    static let awaitsInflation = Flags(rawValue: 1 << 17)
    /// The client takes gzip, and the method asks for it.
    static let mayAnswerGzip = Flags(rawValue: 1 << 18)
    /// The headers of the answer say gzip: messages may be (G-063).
    static let answersGzip = Flags(rawValue: 1 << 19)
    static let namesEncodings = Flags(rawValue: 1 << 20)
    /// Is to be told when the connection has room.
    static let awaitsRoom = Flags(rawValue: 1 << 21)

    /// The message that its handler has was compressed.
    static let messageWasCompressed = Flags(rawValue: 1 << 22)
    /// The handler wants the next messages as they are.
    static let leavesPlain = Flags(rawValue: 1 << 23)
    /// gRPC-Web: the trailers are a frame of the body.
    static let web = Flags(rawValue: 1 << 24)
    /// gRPC-Web as base64.
    static let webText = Flags(rawValue: 1 << 25)
    /// The frame of the trailers is among what was sent.
    static let webTrailersSent = Flags(rawValue: 1 << 26)
    /// Counted among the calls at work.
    static let atWork = Flags(rawValue: 1 << 27)
    /// Its window was looked at, and grew if it could.
    static let hasSeenNeed = Flags(rawValue: 1 << 28)

    static let compressedRequest: Flags = [.gzipRequest, .zlibRequest]
    /// Stands in a queue.
    static let queued: Flags = [.heldBack, .starved, .awaitsRoom, .awaitsInflation]
  }

  enum Phase {
    /// It is not known yet whether the caller may call; bytes are held.
    case admitting(MethodHandler)
    case oneRequest((any ServerCall, UnsafeRawBufferPointer) -> Void)
    case consuming(any RequestConsumer)
    /// Nothing is expected of the client any more.
    case served
  }

  /// What few calls have.
  final class Extras {
    var initialMetadata = Metadata()
    var metadata = Metadata()
    var authority = ""
    var finalStatus = Status.ok
    /// The page that calls by gRPC-Web; empty: no browser.
    var webOrigin: [UInt8] = []
    var base64 = Base64Decoder()
    var trace: TraceParent?
    /// What the stream's window has grown by.
    var windowGrowth = 0
  }

  let connection: ServerConnection
  let id: Int32
  var deadlinePlace: Int32 = -1
  // Changed at every step, and nothing is called meanwhile: the dynamic checks of exclusive access would show.
  @exclusivity(unchecked) var flags: Flags = []
  @exclusivity(unchecked) var phase: Phase
  @exclusivity(unchecked) var framer: MessageFramer
  /// Bytes received whose credit has not been returned.
  @exclusivity(unchecked) var unreturnedByteCount = 0
  /// What the handler keeps of the request.
  private(set) var handlerByteCount: UInt32 = 0
  /// Bytes of a message being assembled or kept, as counted by the connection and the server.
  var countedByteCount: UInt32 = 0
  /// Raised with every message delivered, so that a late `ready` of an earlier one does nothing.
  var deliveryNumber: UInt16 = 0
  /// Looks since something of the request came (G-152).
  @exclusivity(unchecked) var stillness: UInt8 = 0
  /// Bytes of messages that came and that were sent, with their prefixes.
  @exclusivity(unchecked) var requestByteCount: UInt32 = 0
  @exclusivity(unchecked) var responseByteCount: UInt32 = 0
  /// The method's, in the router's order.
  private(set) var methodIndex: UInt16
  /// Counted among the connection's lingering calls, until it is freed: nobody holds it then.
  private var isLingering = false

  var output: StreamOutput?
  var offered: SharedMessage?
  var subscriber: (any BroadcastSubscriber)?
  var membership: BroadcastGroup?
  var memberPlace: UInt32 = 0
  /// The number of the publication that was offered last.
  var offeredNumber: UInt32 = 0

  /// The lower half of the loop's clock.
  private let openedMilliseconds: UInt32
  private var deadlineMilliseconds: UInt64
  var caller: AnyObject?
  var observer: (any CallObserver)?
  var extras: Extras?

  init(connection: ServerConnection, id: Int32, method: Method, index: Int, terms: CallTerms) {
    self.connection = connection
    methodIndex = UInt16(truncatingIfNeeded: index)
    self.id = id
    phase = .admitting(method.handler)
    let coding = Flags(of: terms.requestEncoding)
    framer = MessageFramer(
      maximumMessageByteCount: method.maximumRequestByteCount, allowsCompression: !coding.isEmpty)
    deadlineMilliseconds = .max
    openedMilliseconds = UInt32(truncatingIfNeeded: connection.home.loop.nowMilliseconds)
    if let timeout = terms.timeoutMilliseconds {
      deadlineMilliseconds = connection.home.loop.nowMilliseconds.addingReportingOverflow(timeout).partialValue
      if deadlineMilliseconds < timeout { deadlineMilliseconds = .max }
    }
    flags = coding
    flags.insert(Flags(of: terms.contentType))
    if terms.namesEncodings { flags.insert(.namesEncodings) }
  }

  deinit {
    if isLingering { connection.lingeringCount.wrappingSubtract(1, ordering: .relaxed) }
  }

  /// Milliseconds since it was opened; wraps after 49 days.
  var age: UInt32 { UInt32(truncatingIfNeeded: connection.home.loop.nowMilliseconds) &- openedMilliseconds }

  // MARK: - ServerCall

  var executor: any CallExecutor { connection.home.loop }

  var peer: ConnectionContext { connection.context }

  var deadline: Deadline? {
    deadlineMilliseconds == .max ? nil : Deadline(milliseconds: deadlineMilliseconds)
  }

  var hasEnded: Bool { flags.contains(.ended) }

  var trailerLimit: Int { connection.trailerLimit }

  var metadata: Metadata { extras?.metadata ?? Metadata() }

  var authority: String { extras?.authority ?? "" }

  /// Needed extras, made on first use.
  var ensuredExtras: Extras {
    if let extras { return extras }
    let made = Extras()
    extras = made
    return made
  }

  /// The form of the answer.
  var terms: CallTerms {
    var terms = CallTerms(contentType: flags.contentType)
    terms.namesEncodings = flags.contains(.namesEncodings)
    terms.answersGzip = flags.contains(.answersGzip)
    return terms
  }

  var keptByteCount: Int {
    get { Int(handlerByteCount) }
    set {
      connection.home.check()
      guard !hasEnded else { return }
      handlerByteCount = UInt32(clamping: newValue)
      count()
      if handlerByteCount == 0 { connection.stopAssembling(self) }
    }
  }

  var messageWasCompressed: Bool { flags.contains(.messageWasCompressed) }

  var compressesMessages: Bool {
    get { !flags.contains(.leavesPlain) }
    set { if newValue { flags.remove(.leavesPlain) } else { flags.insert(.leavesPlain) } }
  }

  func finish(_ status: Status) {
    connection.home.check()
    guard !hasEnded else { return }
    conclude(status)
    end(.finished(status.code))
  }

  // MARK: - End

  /// Tells the handler that the call is over and lets go of all that is its. What was sent stays.
  func end(_ end: CallEnd) {
    guard !hasEnded else { return }
    flags.insert(.ended)
    linger(after: end)
    connection.ended(self, end)
    phase = .served
    connection.dropPending(of: self)
    membership?.leave(self)
    if offered == nil { subscriber = nil }
    handlerByteCount = 0
    if !flags.contains(.delivering) { releaseRequest() }
    guard let observer else { return }
    self.observer = nil
    observer.callEnded(self, end)
  }

  /// A call that its handler has begun and not finished may still be at work (G-087).
  private func linger(after end: CallEnd) {
    switch (end, phase) {
    case (.finished, _), (_, .admitting), (_, .oneRequest): return
    case (.cancelled, _), (.deadlineExceeded, _), (.connectionLost, _): break
    }
    isLingering = true
    connection.lingeringCount.wrappingAdd(1, ordering: .relaxed)
  }

  /// The call's time is over (G-038): trailers where nothing of the answer is on its way, else the stream is reset, for
  /// trailers might never get through.
  func deadlinePassed() {
    if flags.contains(.bodyActive) {
      dropOutput()
      connection.session.reset(streamID: id, .cancel)
    } else if !hasEnded {
      conclude(Status(.deadlineExceeded, "the deadline has passed"))
    }
    connection.markDirty()
    end(.deadlineExceeded)
  }

  /// nghttp2 is done with the stream.
  func closed(_ end: CallEnd) {
    flags.insert(.closed)
    if let growth = extras?.windowGrowth, growth > 0 {
      extras?.windowGrowth = 0
      connection.windowGrowth -= growth
    }
    self.end(end)
    dropOutput()
    if !flags.isDisjoint(with: .queued) { connection.forget(self) }
    if !flags.contains(.delivering) { releaseRequest() }
    connection.home.deadlines.remove(self)
  }

  /// Lets go of what was received. Not while a message is with its handler, since it may lie there.
  func releaseRequest() {
    framer = MessageFramer(maximumMessageByteCount: 0)
    count()
    if handlerByteCount == 0 { connection.stopAssembling(self) }
  }

  private func dropOutput() {
    offered = nil
    subscriber = nil
    guard let output else { return }
    self.output = nil
    connection.didBuffer(-output.byteCount)
    connection.home.outputs.giveBack(output)
  }
}

extension ServerStream.Flags {
  fileprivate init(of type: ContentType) {
    switch type {
    case .plain: self = []
    case .proto: self = .protoSuffix
    case .web: self = .web
    case .webProto: self = [.web, .protoSuffix]
    case .webText: self = [.web, .webText]
    case .webTextProto: self = [.web, .webText, .protoSuffix]
    }
  }

  fileprivate var contentType: ContentType {
    switch (contains(.web), contains(.webText), contains(.protoSuffix)) {
    case (false, _, false): .plain
    case (false, _, true): .proto
    case (true, false, false): .web
    case (true, false, true): .webProto
    case (true, true, false): .webText
    case (true, true, true): .webTextProto
    }
  }

  fileprivate init(of encoding: Encoding) {
    switch encoding {
    case .identity: self = []
    case .gzip: self = .gzipRequest
    case .deflate: self = .zlibRequest
    }
  }
}
