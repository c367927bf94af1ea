import Compression
import GRPC
import NetworkIO

/// Decompression on one loop. One context serves all its calls, made for the first compressed message, so that a
/// connection has none. In each turn so much is inflated and no more: what is over it waits for the next turn, first come
/// first served, while other calls get through (docs/architecture.md, Compression).
final class InflationDesk: TurnEndObserver {
  /// Bytes that come out in a turn before the others have to wait: some milliseconds. The last message may go over it.
  private static let byteCountPerTurn = 1 << 20
  /// What each message counts beside its bytes.
  private static let overheadByteCount = 512

  private let loop: EventLoop
  private let buffers = ByteBufferPool()
  private var inflater: Inflater?
  private var spentByteCount = 0
  private var waiting = WaitingCalls(.awaitsInflation)
  private var isObserving = false

  init(loop: EventLoop) {
    self.loop = loop
  }

  /// Whether something may be inflated in this turn.
  var hasTime: Bool { spentByteCount < Self.byteCountPerTurn }

  /// Has `call` go on in a turn that has time.
  func postpone(_ call: ServerStream) {
    waiting.append(call)
    observe()
  }

  func forget(_ call: ServerStream) {
    waiting.forget(call)
  }

  /// Calls `body` with what `message` was before compression, at most `limit` bytes, valid until it returns.
  func inflate(
    _ message: UnsafeRawBufferPointer, _ format: CompressionFormat, limit: Int,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(FramingError) {
    // One buffer for each message that is being handled: a handler may have another call go on.
    let buffer = buffers.take()
    defer { buffers.giveBack(buffer) }
    do throws(InflationError) {
      defer { spend(buffer.bytes.count) }
      try ensuredInflater().inflate(message, format, into: buffer, limit: limit)
    } catch {
      switch error {
      case .corrupt, .truncated: throw .corruptCompression
      case .tooLarge: throw .decompressedTooLarge(limit: limit)
      case .outOfMemory: throw .outOfMemory
      }
    }
    body(buffer.bytes)
  }

  private func ensuredInflater() throws(InflationError) -> Inflater {
    if let inflater { return inflater }
    guard let made = Inflater() else { throw .outOfMemory }
    inflater = made
    return made
  }

  private func spend(_ byteCount: Int) {
    spentByteCount += byteCount + Self.overheadByteCount
    observe()
  }

  private func observe() {
    guard !isObserving else { return }
    isObserving = true
    loop.atTurnEnd(self)
  }

  func turnEnded() {
    isObserving = false
    spentByteCount = 0
    // Those that are put off meanwhile come behind.
    var left = waiting.count
    while left > 0, hasTime, let call = waiting.popFirst() {
      left -= 1
      call.goOnWithInflation()
    }
    if !waiting.isEmpty { observe() }
  }
}

/// Buffers that are not in use, for one loop.
final class ByteBufferPool {
  private static let maximumCount = 2
  private static let maximumCapacity = 256 << 10

  private var free: [ByteBuffer] = []

  func take() -> ByteBuffer {
    free.popLast() ?? ByteBuffer()
  }

  func giveBack(_ buffer: ByteBuffer) {
    guard free.count < Self.maximumCount, buffer.capacity <= Self.maximumCapacity else { return }
    buffer.removeAll()
    free.append(buffer)
  }
}
