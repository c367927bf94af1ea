/// What one side of a connection announces, and how far it goes beyond.
package struct HTTP2Settings: Hashable, Sendable {
  /// SETTINGS_MAX_CONCURRENT_STREAMS of a server. Twice as many are served until the client has acknowledged the number,
  /// since clients send bursts before they have read it; streams above that are refused one by one (REFUSED_STREAM),
  /// never with the connection (G-017).
  package var maximumStreamCount: UInt32 = 1_000
  /// SETTINGS_INITIAL_WINDOW_SIZE, bytes.
  package var streamWindow: UInt32 = 64 << 10
  /// Receive window of the whole connection, bytes.
  package var connectionWindow: Int32 = 1 << 20
  /// SETTINGS_MAX_HEADER_LIST_SIZE, bytes. Whoever reads the fields enforces it (`HTTP2SessionDelegate.didReceive`).
  package var headerListBytes: UInt32 = 16 << 10

  package init() {}
}
