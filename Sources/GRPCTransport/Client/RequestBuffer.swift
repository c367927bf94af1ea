import GRPC

/// Request bytes of one call: those that wait to be sent, and before them those that were sent and may have to be sent
/// again (gRFC A6). Used again and again by the calls of a channel (`RequestBufferPool`).
final class RequestBuffer {
  private static let smallestCapacity = 256

  private var base: UnsafeMutableRawPointer?
  private(set) var capacity = 0
  /// The first byte kept; the next to send; behind the last.
  private var start = 0
  private var next = 0
  private var end = 0
  /// Whether what was sent is kept.
  private(set) var keepsSent = true
  /// Whether no byte of the request was dropped.
  private(set) var isWhole = true

  deinit { base?.deallocate() }

  var unsentByteCount: Int { end - next }

  /// Bytes in memory.
  var heldByteCount: Int { end - start }

  /// Room for `count` more bytes behind the others, to be filled at once.
  func append(_ count: Int) -> UnsafeMutableRawBufferPointer {
    reserve(count)
    defer { end += count }
    return UnsafeMutableRawBufferPointer(start: base.map { $0 + end }, count: count)
  }

  /// Moves bytes into `buffer`, as many as it takes.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, end - next)
    guard count > 0, let base, let target = buffer.baseAddress else { return 0 }
    target.copyMemory(from: base + next, byteCount: count)
    next += count
    if !keepsSent { dropSent() }
    return count
  }

  /// What was sent is not needed again.
  func forgetSent() {
    keepsSent = false
    dropSent()
  }

  /// All that is kept is to be sent again.
  func rewind() {
    next = start
  }

  func removeAll() {
    start = 0
    next = 0
    end = 0
    keepsSent = true
    isWhole = true
  }

  private func dropSent() {
    if next > start { isWhole = false }
    start = next
    guard start == end else { return }
    start = 0
    next = 0
    end = 0
  }

  private func reserve(_ count: Int) {
    guard capacity - end < count else { return }
    let used = end - start
    var wanted = max(Self.smallestCapacity, capacity)
    while wanted < used + count { wanted *= 2 }
    if wanted == capacity, let base {
      base.copyMemory(from: base + start, byteCount: used)
    } else {
      let larger = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
      if let base {
        larger.copyMemory(from: base + start, byteCount: used)
        base.deallocate()
      }
      base = larger
      capacity = wanted
    }
    next -= start
    end -= start
    start = 0
  }
}

/// Buffers that are not in use, for the calls of one channel.
final class RequestBufferPool {
  private static let maximumCount = 256
  private static let maximumCapacity = 4 << 10

  private var free: [RequestBuffer] = []

  func take() -> RequestBuffer {
    free.popLast() ?? RequestBuffer()
  }

  func giveBack(_ buffer: RequestBuffer) {
    guard free.count < Self.maximumCount, buffer.capacity <= Self.maximumCapacity else { return }
    buffer.removeAll()
    free.append(buffer)
  }
}
