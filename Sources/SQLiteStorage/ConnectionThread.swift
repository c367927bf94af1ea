import Storage

/// A connection and the one thread that uses it.
///
/// `@unchecked Sendable`: `connection` and `directory` are touched on `worker` only, once `init` has returned.
final class ConnectionThread: @unchecked Sendable {
  let worker = WorkerThread()
  private var connection: Connection?
  /// Stays locked until the connection is closed.
  private var directory: DataDirectory?

  /// From now on `connection` is used on `worker` only.
  init(_ connection: Connection, in directory: DataDirectory) {
    self.connection = connection
    self.directory = directory
  }

  /// Runs `body` on the thread. Throws `closed` after `close`.
  func value<Value: Sendable>(
    of body: @escaping @Sendable (Connection) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    try await worker.value { () throws(StoreError) in
      guard let connection = self.connection else { throw .closed }
      return try body(connection)
    }
  }

  /// Runs `last` on the thread, then lets the connection go.
  func close(after last: @escaping @Sendable () -> Void = {}) async {
    await withCheckedContinuation { continuation in
      worker.run {
        last()
        self.connection = nil
        self.directory = nil
        continuation.resume()
      }
    }
  }
}
