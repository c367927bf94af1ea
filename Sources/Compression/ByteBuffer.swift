import Glibc

/// Bytes that grow in place and are used again.
package final class ByteBuffer {
  private static let smallestCapacity = 1 << 10

  private var base: UnsafeMutableRawPointer?
  package private(set) var capacity = 0
  private var count = 0

  package init() {}

  deinit { free(base) }

  /// Valid until the buffer is changed.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  package func removeAll() {
    count = 0
  }

  /// Makes room for `byteCount` bytes and calls `body` with them; they are what the buffer holds then.
  package func fill(byteCount: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    count = 0
    grow(to: byteCount)
    body(UnsafeMutableRawBufferPointer(start: base, count: byteCount))
    count = byteCount
  }

  /// Calls `body` with free room behind the bytes, which are then as many more as it returns. The buffer doubles where
  /// it is full, up to `limit` bytes in all.
  func append(limit: Int, hint: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
    if count == capacity { grow(to: min(limit, max(2 * capacity, hint, Self.smallestCapacity))) }
    let room = UnsafeMutableRawBufferPointer(start: base.map { $0 + count }, count: min(capacity, limit) - count)
    count += body(room)
  }

  private func grow(to wanted: Int) {
    guard wanted > capacity else { return }
    guard let larger = realloc(base, wanted) else { preconditionFailure("out of memory") }
    base = larger
    capacity = wanted
  }
}
