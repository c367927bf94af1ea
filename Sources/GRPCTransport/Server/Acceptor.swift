import NetworkIO
import Synchronization

/// Hands accepted sockets to the loops. On the accepting loop.
final class Acceptor: Sendable {
  /// Descriptors that are left to others: the store, listeners, what each loop needs for itself.
  private static let sparedDescriptors = 32
  private static let sparedDescriptorsPerLoop = 4

  private let homes: [ServerLoop]
  private let limit: Int
  private let census: ConnectionCensus

  /// - Parameter limit: Connections in all; fewer where the process may not have as many descriptors (G-157).
  init(homes: [ServerLoop], limit: Int, census: ConnectionCensus) {
    self.homes = homes
    let spared = Self.sparedDescriptors + Self.sparedDescriptorsPerLoop * homes.count
    self.limit = min(limit, max(1, DescriptorLimit.current - spared))
    self.census = census
  }

  /// Owns `descriptor`. Above a limit it is closed at once (G-157).
  func take(_ descriptor: CInt, peer: SocketAddress, by listener: GRPCServer.Configuration.Listener) {
    let counts = homes.map { $0.connectionCount.load(ordering: .relaxed) }
    guard counts.reduce(0, +) < limit, let home = zip(homes, counts).min(by: { $0.1 < $1.1 })?.0 else {
      closeDescriptor(descriptor)
      // Whoever comes next may find room.
      for home in homes { home.loop.execute { home.closeUnestablished() } }
      return
    }
    guard let entry = census.enter(peer) else { return closeDescriptor(descriptor) }
    home.connectionCount.wrappingAdd(1, ordering: .relaxed)
    home.loop.execute { home.adopt(descriptor, peer: peer, by: listener, entry: entry) }
  }
}
