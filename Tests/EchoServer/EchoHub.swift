import GRPC
import GRPCTransport
import Locking

/// The broadcasts of all loops.
final class EchoHub: Sendable {
  /// `@unchecked Sendable`: `broadcast` is used on `executor` only.
  private struct Member: @unchecked Sendable {
    let executor: any CallExecutor
    let broadcast: LoopBroadcast
  }

  private let members = Lock<[Member]>([])

  func add(_ broadcast: LoopBroadcast, on executor: any CallExecutor) {
    let member = Member(executor: executor, broadcast: broadcast)
    members.withLock { $0.append(member) }
  }

  func publish(_ message: SharedMessage) {
    for member in members.withLock({ $0 }) {
      member.executor.execute { member.broadcast.publish(message) { _ in } }
    }
  }

  func finishAll(_ status: Status) {
    for member in members.withLock({ $0 }) {
      member.executor.execute { member.broadcast.finishAll { status } }
    }
  }
}

/// Has its own name before each message.
final class EchoSubscriber: BroadcastSubscriber {
  private let prefix: [UInt8]

  init(name: UnsafeRawBufferPointer) {
    prefix = Array(name) + Array(":".utf8)
  }

  func prefixByteCount(before sharedByteCount: Int) -> Int { prefix.count }

  func writePrefix(before sharedByteCount: Int, into buffer: UnsafeMutableRawBufferPointer) {
    buffer.copyBytes(from: prefix)
  }
}
