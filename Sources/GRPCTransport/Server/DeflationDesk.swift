import Compression
import NetworkIO

/// Compression on one loop. In each turn so much is deflated and no more: what is over it leaves as it is, which is always
/// allowed (docs/architecture.md, Compression).
final class DeflationDesk: TurnEndObserver {
  /// Less does not get smaller by enough.
  private static let smallestByteCount = 1 << 10
  private static let largestByteCount = 1 << 20
  private static let byteCountPerTurn = 256 << 10

  private let loop: EventLoop
  private let buffers = ByteBufferPool()
  private var deflater: Deflater?
  private var spentByteCount = 0

  init(loop: EventLoop) {
    self.loop = loop
  }

  /// Whether a message of so many bytes is worth it, and there is time in this turn.
  func takes(_ byteCount: Int) -> Bool {
    (Self.smallestByteCount...Self.largestByteCount).contains(byteCount) && spentByteCount < Self.byteCountPerTurn
  }

  /// Calls `body` with the message that `write` makes, compressed, or as it is where it would grow.
  func deflate(
    byteCount: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void,
    _ body: (_ message: UnsafeRawBufferPointer, _ isCompressed: Bool) -> Void
  ) {
    let message = buffers.take()
    let compressed = buffers.take()
    defer {
      buffers.giveBack(message)
      buffers.giveBack(compressed)
    }
    message.fill(byteCount: byteCount, write)
    spend(byteCount)
    var count: Int?
    compressed.fill(byteCount: byteCount - 1) { count = ensuredDeflater()?.deflate(message.bytes, into: $0) }
    if let count {
      body(UnsafeRawBufferPointer(rebasing: compressed.bytes[..<count]), true)
    } else {
      body(message.bytes, false)
    }
  }

  private func ensuredDeflater() -> Deflater? {
    if deflater == nil { deflater = Deflater() }
    return deflater
  }

  private func spend(_ byteCount: Int) {
    if spentByteCount == 0 { loop.atTurnEnd(self) }
    spentByteCount += byteCount
  }

  func turnEnded() {
    spentByteCount = 0
  }
}
