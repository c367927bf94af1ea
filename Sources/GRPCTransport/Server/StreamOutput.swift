import GRPC

/// Response bytes of one stream that wait for nghttp2, followed by what is left of a shared message. Exists only while
/// there are some; used again and again by the streams of a loop (`OutputPool`).
final class StreamOutput {
  private static let smallestCapacity = 128

  private var base: UnsafeMutableRawPointer?
  private(set) var capacity = 0
  private var head = 0
  private var tail = 0
  /// A shared message whose prefix is in the buffer: it has begun to leave, and no newer one takes its place.
  private var frozen: SharedMessage?
  private var frozenOffset = 0

  deinit { base?.deallocate() }

  var isEmpty: Bool { head == tail && frozen == nil }

  /// Bytes in the buffer; those of a shared message are not this stream's alone and don't count.
  var byteCount: Int { tail - head }

  /// Room for `count` more bytes behind the others, to be filled at once.
  func append(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if frozen != nil { thaw() }
    reserve(count)
    defer { tail += count }
    return UnsafeMutableRawBufferPointer(start: base.map { $0 + tail }, count: count)
  }

  /// Lets the bytes of `message` follow those in the buffer, by reference.
  func appendShared(_ message: SharedMessage) {
    if frozen != nil { thaw() }
    guard !message.bytes.isEmpty else { return }
    frozen = message
    frozenOffset = 0
  }

  /// Moves bytes into `buffer`, as many as it takes, and returns how many came from the buffer and how many in all.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> (own: Int, all: Int) {
    let own = min(buffer.count, tail - head)
    if own > 0, let base, let target = buffer.baseAddress {
      target.copyMemory(from: base + head, byteCount: own)
      head += own
    }
    if head == tail {
      head = 0
      tail = 0
    }
    return (own, own + readFrozen(into: buffer, from: own))
  }

  private func readFrozen(into buffer: UnsafeMutableRawBufferPointer, from start: Int) -> Int {
    guard let frozen, head == tail else { return 0 }
    let count = min(buffer.count - start, frozen.bytes.count - frozenOffset)
    frozen.bytes.withUnsafeBytes { bytes in
      guard let target = buffer.baseAddress, let source = bytes.baseAddress else { return }
      (target + start).copyMemory(from: source + frozenOffset, byteCount: count)
    }
    frozenOffset += count
    if frozenOffset == frozen.bytes.count { self.frozen = nil }
    return count
  }

  func removeAll() {
    head = 0
    tail = 0
    frozen = nil
  }

  /// Takes what is left of the shared message into the buffer, so that something can follow it.
  private func thaw() {
    guard let message = frozen else { return }
    frozen = nil
    let rest = message.bytes[frozenOffset...]
    append(rest.count).copyBytes(from: rest)
  }

  private func reserve(_ count: Int) {
    guard capacity - tail < count else { return }
    let used = tail - head
    var wanted = max(Self.smallestCapacity, capacity)
    while wanted < used + count { wanted *= 2 }
    if wanted == capacity, let base {
      base.copyMemory(from: base + head, byteCount: used)
    } else {
      let larger = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
      if let base {
        larger.copyMemory(from: base + head, byteCount: used)
        base.deallocate()
      }
      base = larger
      capacity = wanted
    }
    head = 0
    tail = used
  }
}

/// Outputs that are not in use, for the streams of one loop.
final class OutputPool {
  private static let maximumCount = 256
  private static let maximumCapacity = 4 << 10

  @exclusivity(unchecked) private var free: [StreamOutput] = []

  func take() -> StreamOutput {
    free.popLast() ?? StreamOutput()
  }

  func giveBack(_ output: StreamOutput) {
    guard free.count < Self.maximumCount, output.capacity <= Self.maximumCapacity else { return }
    output.removeAll()
    free.append(output)
  }
}
