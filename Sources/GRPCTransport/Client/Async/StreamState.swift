import GRPC
import NetworkIO
import Synchronization

/// What stands between the tasks of a call and the call.
///
/// `@unchecked Sendable`: `loop` is immutable, `hasEnded` atomic, everything else is touched on the loop only.
final class StreamState: ClientCallHandler, @unchecked Sendable {
  typealias Done<Value> = (Result<Value, Status>) -> Void

  /// No more is asked for while this much waits to be read.
  private static let maximumCount = 16
  private static let maximumByteCount = 64 << 10

  let loop: EventLoop
  let hasEnded = Atomic(false)
  private var call: ClientCall?
  private var isCancelled = false
  /// The call is over.
  private var end: Status?
  private var metadata: Metadata?

  private var unread: [[UInt8]] = []
  private var firstUnread = 0
  private var unreadByteCount = 0
  private var isPaused = false

  private var readers: [Done<[UInt8]?>] = []
  private var writers: [(message: [UInt8], done: Done<Void>)] = []
  private var headerWaiters: [Done<Metadata>] = []
  private var endWaiters: [Done<Status>] = []
  /// Who wants the whole answer, and the last message of it.
  private var collector: Done<ClientResponse>?
  private var collected: [UInt8] = []
  private var finishesAfterWriters = false

  init(on loop: EventLoop) {
    self.loop = loop
  }

  func start(_ channel: ClientChannel, _ method: ClientMethod, _ options: CallOptions, _ request: [UInt8]?) {
    guard !isCancelled else { return finish(.cancelledByCaller) }
    let call = channel.startCall(method, options, handler: self)
    self.call = call
    if let request { call.send(request) }
  }

  /// Runs `body` on the loop and waits until it has called back; a task cancelled meanwhile cancels the call, and that
  /// calls back.
  func crossing<Value: Sendable>(
    _ body: @escaping @Sendable (StreamState, @escaping Done<Value>) -> Void
  ) async throws(Status) -> Value {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Status>, Never>) in
        loop.onLoop { body(self) { continuation.resume(returning: $0) } }
      }
    } onCancel: {
      loop.execute { self.cancel() }
    }
    return try result.get()
  }

  // MARK: - The writer

  func send(_ message: [UInt8], _ done: @escaping Done<Void>) {
    if let end { return done(.failure(end)) }
    guard let call else { return done(.failure(.cancelledByCaller)) }
    guard writers.isEmpty, call.bufferedByteCount <= CallLimits.bufferedBytes else {
      return writers.append((message, done))
    }
    call.send(message)
    done(.success(()))
  }

  func finishSending() {
    guard writers.isEmpty else {
      finishesAfterWriters = true
      return
    }
    call?.finishSending()
  }

  func callCanSend(_ call: ClientCall) {
    while !writers.isEmpty, call.bufferedByteCount <= CallLimits.bufferedBytes {
      let (message, done) = writers.removeFirst()
      call.send(message)
      done(.success(()))
    }
    if writers.isEmpty, finishesAfterWriters { call.finishSending() }
  }

  // MARK: - The reader

  func next(_ done: @escaping Done<[UInt8]?>) {
    if let message = takeFirst() { return done(.success(message)) }
    switch end {
    case nil: readers.append(done)
    case let status? where status.code == .ok: done(.success(nil))
    case let status?: done(.failure(status))
    }
  }

  private func takeFirst() -> [UInt8]? {
    guard firstUnread < unread.count else { return nil }
    let message = unread[firstUnread]
    unread[firstUnread] = []
    firstUnread += 1
    unreadByteCount -= message.count
    if firstUnread == unread.count {
      unread = []
      firstUnread = 0
    }
    // At half of the bound, so that what comes next comes in one go.
    if isPaused, unread.count - firstUnread <= Self.maximumCount / 2, unreadByteCount <= Self.maximumByteCount / 2 {
      isPaused = false
      call?.resume()
    }
    return message
  }

  func call(_ call: ClientCall, received message: UnsafeRawBufferPointer) -> Bool {
    let copy = Array(message)
    guard collector == nil else {
      collected = copy
      return true
    }
    guard readers.isEmpty else {
      readers.removeFirst()(.success(copy))
      return true
    }
    unread.append(copy)
    unreadByteCount += copy.count
    isPaused = unread.count - firstUnread >= Self.maximumCount || unreadByteCount >= Self.maximumByteCount
    return !isPaused
  }

  /// Half-closes, and waits for the end with what is left of the answer.
  func collect(_ done: @escaping Done<ClientResponse>) {
    finishSending()
    collector = done
    // Resumes the call, which may end with it.
    while let message = takeFirst() { collected = message }
    if let end { finishCollecting(end) }
  }

  private func finishCollecting(_ status: Status) {
    guard let collector else { return }
    self.collector = nil
    guard status.code == .ok else { return collector(.failure(status)) }
    collector(
      .success(ClientResponse(message: collected, metadata: metadata ?? Metadata(), trailers: status.trailers)))
    collected = []
  }

  func headers(_ done: @escaping Done<Metadata>) {
    if let metadata { return done(.success(metadata)) }
    if let end { return done(.failure(end)) }
    headerWaiters.append(done)
  }

  func call(_ call: ClientCall, receivedHeaders metadata: Metadata) {
    self.metadata = metadata
    let due = headerWaiters
    headerWaiters = []
    for done in due { done(.success(metadata)) }
  }

  // MARK: - End

  func whenEnded(_ done: @escaping Done<Status>) {
    guard let end else { return endWaiters.append(done) }
    done(.success(end))
  }

  func cancel() {
    isCancelled = true
    call?.cancel()
  }

  func callEnded(_ call: ClientCall, _ status: Status) {
    finish(status)
  }

  private func finish(_ status: Status) {
    guard end == nil else { return }
    end = status
    call = nil
    hasEnded.store(true, ordering: .relaxed)
    let writers = writers
    self.writers = []
    for writer in writers { writer.done(.failure(status)) }
    let readers = readers
    self.readers = []
    for done in readers { done(status.code == .ok ? .success(nil) : .failure(status)) }
    let headerWaiters = headerWaiters
    self.headerWaiters = []
    for done in headerWaiters { done(.failure(status)) }
    let endWaiters = endWaiters
    self.endWaiters = []
    for done in endWaiters { done(.success(status)) }
    finishCollecting(status)
  }
}
