/// One call as an `async` handler sees it. Such a handler runs on the call's executor, except inside actors that it
/// enters; these members are used there only.
package struct AsyncCall: Sendable {
  private let task: CallTask

  init(_ task: CallTask) {
    self.task = task
  }

  /// The call itself, for what has no `async` form: caller, deadline, metadata, headers.
  package var serverCall: any ServerCall { task.call }

  /// Sends one message; waits before that while more than `CallLimits.bufferedBytes` wait for the client (G-091), so that
  /// a slow reader slows the handler instead of filling memory.
  ///
  /// - Throws: where the call has ended, or the task that waits was cancelled. The handler has nothing more to do then.
  package func send(_ message: some OutgoingMessage) async throws(CancellationError) {
    try await task.send(message)
  }
}

/// Something that can be written as one message.
package protocol OutgoingMessage {
  var byteCount: Int { get }
  /// Fills `buffer`, which has `byteCount` bytes.
  func write(into buffer: UnsafeMutableRawBufferPointer)
}

extension [UInt8]: OutgoingMessage {
  package var byteCount: Int { count }

  package func write(into buffer: UnsafeMutableRawBufferPointer) {
    buffer.copyBytes(from: self)
  }
}

extension ServerCall {
  package func send(_ message: some OutgoingMessage) {
    send(byteCount: message.byteCount) { message.write(into: $0) }
  }
}
