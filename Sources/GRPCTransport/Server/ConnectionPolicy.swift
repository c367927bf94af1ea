package import GRPC

/// How long connections live, and what clients may do with them besides calls. Times in milliseconds; `nil` where there
/// is none (docs/operating.md, Connections).
package struct ConnectionPolicy: Hashable, Sendable {
  /// Without a word from the client for this long while a call is open, it gets a PING (G-107); thirty times as long where
  /// none is. Below what home routers and mobile networks take to forget a silent connection.
  package var keepaliveTime: UInt64 = 240_000
  /// How long it may be silent after that.
  package var keepaliveTimeout: UInt64 = 20_000
  /// After this, give or take a tenth, a connection is drained (G-105).
  package var maximumAge: UInt64?
  /// What calls get to end then; what is left ends with UNAVAILABLE.
  package var maximumAgeGrace: UInt64 = 60_000
  /// A connection without a call for this long is drained (G-106).
  package var maximumIdle: UInt64?
  /// PINGs of the client may follow each other at this distance, where nothing was sent to it in between (G-108).
  package var pingInterval: UInt64 = 300_000
  /// The same while a call is open: ten seconds is what many clients are set to, and the network may push two together.
  package var pingIntervalInCalls: UInt64 = 9_000
  /// A header block is there in whole so long after its beginning, or the connection is closed (G-152).
  package var headerBlock: UInt64 = 10_000
  /// A request of one message that stands still for so long, or half as long again, is given up (G-152).
  package var requestIdle: UInt64 = 60_000
  /// Connections from one address, or from one IPv6 network of 64 bits (G-157). Unless it is `nil`, this machine's own
  /// are not excepted; else they are, and others get `defaultConnectionsPerAddress`.
  package var connectionsPerAddress: Int?

  /// Pages that may call by gRPC-Web; where there are none, it is not served (G-131).
  package var webOrigins = WebOrigins.none

  package static let defaultConnectionsPerAddress = 1_000

  package init() {}
}
