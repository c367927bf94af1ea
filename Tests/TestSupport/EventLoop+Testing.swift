import Glibc
package import NetworkIO

/// Handles that a test has left open on its loop.
package struct LeakedHandles: Error {
  package let count: Int
}

extension EventLoop {
  /// Runs `body` on the loop's thread and gives what it returns.
  package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      execute { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}

/// Gives `body` a loop of its own, which is stopped afterwards.
///
/// - Throws: `LeakedHandles` if anything on the loop was still open a second after `body`, or after the loop's end.
package func withEventLoop<Result: Sendable>(
  _ name: String = "test", _ body: (EventLoop) async throws -> Result
) async throws -> Result {
  let loop = try EventLoop(name: name)
  let outcome: Swift.Result<Result, any Error>
  do { outcome = .success(try await body(loop)) } catch { outcome = .failure(error) }
  var left = loop.openHandleCount
  for _ in 0..<100 where left > 0 {
    try? await Task.sleep(for: .milliseconds(10))
    left = loop.openHandleCount
  }
  loop.stop()
  let result = try outcome.get()
  left = max(left, loop.openHandleCount)
  if left > 0 { throw LeakedHandles(count: left) }
  return result
}

/// Descriptors that the process has open.
package func openDescriptorCount() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  // Not ".", ".." and the directory itself.
  return count - 3
}
