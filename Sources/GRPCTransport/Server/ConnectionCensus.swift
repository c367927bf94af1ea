import Locking
import NetworkIO

/// Counts a server's connections by address (G-157).
final class ConnectionCensus: Sendable {
  private let limit: Int
  private let exceptsThisMachine: Bool
  private let counts = Lock<[UInt64: Int]>([:])

  init(_ policy: ConnectionPolicy) {
    limit = policy.connectionsPerAddress ?? ConnectionPolicy.defaultConnectionsPerAddress
    exceptsThisMachine = policy.connectionsPerAddress == nil
  }

  /// Counts a connection, to be handed back to `leave`; `nil` where the address has too many.
  func enter(_ peer: SocketAddress) -> Entry? {
    guard let number = peer.networkNumber, !(exceptsThisMachine && peer.isLoopback) else { return Entry(number: nil) }
    return counts.withLock { counts in
      let count = counts[number, default: 0]
      guard count < limit else { return nil }
      counts[number] = count + 1
      return Entry(number: number)
    }
  }

  func leave(_ entry: Entry) {
    guard let number = entry.number else { return }
    counts.withLock { counts in
      let count = counts[number, default: 0]
      counts[number] = count > 1 ? count - 1 : nil
    }
  }

  /// One connection that was counted.
  struct Entry: Sendable {
    fileprivate let number: UInt64?
  }
}
