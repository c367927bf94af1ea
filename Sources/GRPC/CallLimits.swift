/// Bounds of what one call, one connection and one server may hold (docs/architecture.md, Limits). Defaults; bytes
/// where not said otherwise.
package struct CallLimits: Hashable, Sendable {
  /// Names, values and 32 octets a field; announced to the client. Above it the call is refused, above four times that
  /// the connection is closed (G-018, G-046).
  package static let headerListBytes = 16 << 10
  /// Trailers stay below this and below the client's SETTINGS_MAX_HEADER_LIST_SIZE (G-075).
  package static let trailerListBytes = 8 << 10
  /// A handler stops sending while more than this waits for the peer (G-091).
  package static let bufferedBytes = 64 << 10

  /// Announced to the client (G-017).
  package var streamsPerConnection = 1_000
  /// Receive window of a stream (G-092).
  package var streamWindow = 64 << 10
  /// What the window of a stream grows to at most for a message that is larger than it (G-095).
  package var grownStreamWindow = 1 << 20
  /// What all windows of a connection grow by at most.
  package var windowGrowthPerConnection = 4 << 20
  /// Receive window of a connection.
  package var connectionWindow = 1 << 20
  package var connections = 10_000
  /// Calls at work at once (G-079): come and not ended, but for those of long-lived methods.
  package var callsPerServer = 50_000
  package var callsPerConnection = 1_000
  /// Response bytes buffered for one connection; above it all its streams wait.
  package var responseBytesPerConnection = 512 << 10
  /// Largest message sent (G-061); above it the call ends with RESOURCE_EXHAUSTED. Clients take 4 MiB unless they are
  /// told otherwise.
  package var responseMessageBytes = 64 << 20
  /// Messages being assembled, on one connection; above it no further credit is given.
  package var assembledBytesPerConnection = 16 << 20
  /// The same for all connections of the server.
  package var assembledBytesPerServer = 256 << 20
  /// How long a client may take for the preface, its SETTINGS and the acknowledgement of ours (G-004).
  package var establishmentMilliseconds: UInt64 = 20_000

  package init() {}
}
