/// The requests of one client stream, in order, for one reader. Ends where the client half-closes (G-085); throws where
/// the call ends before that, or the reading task is cancelled. What the reader has not taken is bounded: then the
/// stream's window stays closed (G-092).
package struct RequestSequence<Request: Sendable>: AsyncSequence, Sendable {
  fileprivate let queue: RequestQueue<Request>

  init(_ queue: RequestQueue<Request>) {
    self.queue = queue
  }

  package func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let queue: RequestQueue<Request>

    package func next() async throws -> Request? { try await queue.next() }
  }
}

/// What was received and not yet read.
///
/// `@unchecked Sendable`: `executor` is immutable, all else belongs to it; the handler that reads runs there, and
/// cancellation, which may come from elsewhere, goes through `execute`.
final class RequestQueue<Request: Sendable>: RequestConsumer, RequestSource, @unchecked Sendable {
  private enum End {
    case halfClosed
    case cut
  }

  /// No more is asked for while this much waits.
  static var maximumCount: Int { 16 }
  static var maximumByteCount: Int { 32 << 10 }

  private let executor: any CallExecutor
  private let decode: (UnsafeRawBufferPointer) throws -> Request
  private let onMalformed: (any Error) -> Void
  private var waiting: [(request: Request, byteCount: Int)] = []
  private var firstWaiting = 0
  private var waitingByteCount = 0
  private var end: End?
  private var reader: CheckedContinuation<Request?, any Error>?
  private var lastReader: UInt64 = 0
  private var ready: (() -> Void)?

  /// - Parameter onMalformed: Told of what `decode` has thrown; to end the call.
  init(
    on executor: any CallExecutor, decoding decode: @escaping (UnsafeRawBufferPointer) throws -> Request,
    onMalformed: @escaping (any Error) -> Void
  ) {
    self.executor = executor
    self.decode = decode
    self.onMalformed = onMalformed
  }

  // MARK: - Reader

  func next() async throws -> Request? {
    assert(executor.isCurrent)
    if let request = takeFirst() { return request }
    switch end {
    case .halfClosed: return nil
    case .cut: throw CancellationError()
    case nil: return try await waitForNext()
    }
  }

  private func waitForNext() async throws -> Request? {
    precondition(reader == nil, "the requests of a call have one reader at a time")
    lastReader += 1
    let id = lastReader
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { reader = $0 }
    } onCancel: {
      executor.execute { self.cancelReader(id) }
    }
  }

  private func cancelReader(_ id: UInt64) {
    guard id == lastReader else { return }
    takeReader()?.resume(throwing: CancellationError())
  }

  private func takeReader() -> CheckedContinuation<Request?, any Error>? {
    defer { reader = nil }
    return reader
  }

  private func takeFirst() -> Request? {
    guard firstWaiting < waiting.count else { return nil }
    let (request, byteCount) = waiting[firstWaiting]
    firstWaiting += 1
    waitingByteCount -= byteCount
    if firstWaiting == waiting.count {
      waiting = []
      firstWaiting = 0
    } else if firstWaiting >= Self.maximumCount {
      waiting.removeFirst(firstWaiting)
      firstWaiting = 0
    }
    askForMore()
    return request
  }

  /// At half of the bound, so that what comes next comes in one go.
  private func askForMore() {
    let count = waiting.count - firstWaiting
    guard count <= Self.maximumCount / 2, waitingByteCount <= Self.maximumByteCount / 2 else { return }
    let ready = self.ready
    self.ready = nil
    ready?()
  }

  // MARK: - RequestConsumer

  func receive(_ message: UnsafeRawBufferPointer, ready: @escaping () -> Void) -> Bool {
    guard end == nil else { return false }
    let request: Request
    do {
      request = try decode(message)
    } catch {
      onMalformed(error)
      return false
    }
    if let reader = takeReader() {
      reader.resume(returning: request)
      return true
    }
    waiting.append((request, message.count))
    waitingByteCount += message.count
    let count = waiting.count - firstWaiting
    if count < Self.maximumCount && waitingByteCount < Self.maximumByteCount { return true }
    self.ready = ready
    return false
  }

  func receiveEnd() {
    finish(.halfClosed)
  }

  // MARK: - RequestSource

  func callEnded() {
    waiting = []
    firstWaiting = 0
    waitingByteCount = 0
    ready = nil
    end = nil
    finish(.cut)
  }

  private func finish(_ end: End) {
    guard self.end == nil else { return }
    self.end = end
    switch end {
    case .halfClosed: takeReader()?.resume(returning: nil)
    case .cut: takeReader()?.resume(throwing: CancellationError())
    }
  }
}
