package import GRPC
import NetworkIO
import Synchronization

/// One call as tasks see it, one that writes and one that reads at a time. When nothing refers to it any more, nor to its
/// responses, the call is cancelled.
package final class ClientStream: Sendable {
  let state: StreamState

  init(_ state: StreamState) {
    self.state = state
  }

  deinit {
    let state = state
    guard !state.hasEnded.load(ordering: .relaxed) else { return }
    state.loop.execute { state.cancel() }
  }

  /// Sends one message; waits before that while more than `CallLimits.bufferedBytes` wait for the server.
  ///
  /// - Throws: how the call ended, also where it ended well, since the message is lost; CANCELLED where the task is
  ///   cancelled.
  package func send(_ message: [UInt8]) async throws(Status) {
    try await state.crossing { state, done in state.send(message, done) }
  }

  /// Half-closes: there are no more messages. After the last `send`.
  package func finishSending() {
    let state = state
    state.loop.onLoop { state.finishSending() }
  }

  /// The messages of the answer, for one reader.
  package var responses: ResponseSequence { ResponseSequence(self) }

  /// Waits until the answer begins; its metadata is empty unless the call keeps it.
  ///
  /// - Throws: how the call ended, where no answer has begun.
  package func headers() async throws(Status) -> Metadata {
    try await state.crossing { state, done in state.headers(done) }
  }

  /// Waits for the end, having read all that is left of the answer, and gives its one message; where the method gives many,
  /// the last. Half-closes first.
  ///
  /// - Throws: how the call ended, where that is not OK.
  package func response() async throws(Status) -> ClientResponse {
    try await state.crossing { state, done in state.collect(done) }
  }

  /// Waits for the end of the call. The messages of the answer have to be read meanwhile.
  package func status() async -> Status {
    do {
      return try await state.crossing { state, done in state.whenEnded(done) }
    } catch {
      return error
    }
  }

  /// Ends the call with CANCELLED, for both sides.
  package func cancel() {
    let state = state
    state.loop.onLoop { state.cancel() }
  }

  func next() async throws(Status) -> [UInt8]? {
    try await state.crossing { state, done in state.next(done) }
  }
}

/// The messages of an answer, in order, for one reader. Ends where the call ends well. What the reader has not taken is
/// bounded: then the stream's window stays closed.
package struct ResponseSequence: AsyncSequence, Sendable {
  /// The call: its headers, its status.
  package let stream: ClientStream

  init(_ stream: ClientStream) {
    self.stream = stream
  }

  package func makeAsyncIterator() -> Iterator { Iterator(stream: stream) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let stream: ClientStream

    package func next() async throws -> [UInt8]? { try await stream.next() }

    package func next(isolation actor: isolated (any Actor)?) async throws(Status) -> [UInt8]? {
      try await stream.next()
    }
  }
}
