package import GRPC

/// What a server has done since its start, over all loops (G-137). Counted by each loop for itself and added up when
/// someone asks, so that counting costs no call anything that is shared.
package struct ServerFigures: Sendable {
  /// By path; what no method was found for is under "".
  package internal(set) var methods: [String: CallFigures] = [:]
  package internal(set) var connections = ConnectionFigures()

  mutating func add(_ other: ServerFigures) {
    for (path, figures) in other.methods { methods[path, default: CallFigures()].add(figures) }
    connections.add(other.connections)
  }
}

package struct ConnectionFigures: Sendable {
  package internal(set) var openCount = 0
  package internal(set) var openedCount: UInt64 = 0
  /// TLS connections that failed.
  package internal(set) var failedSecurityCount: UInt64 = 0
  /// Ended since the client broke the protocol or flooded.
  package internal(set) var endedForCauseCount: UInt64 = 0
  /// As the socket had them, with all that HTTP/2 and TLS add.
  package internal(set) var receivedByteCount: UInt64 = 0
  package internal(set) var sentByteCount: UInt64 = 0
  /// Calls that the client gave up.
  package internal(set) var resetCount: UInt64 = 0
  /// Requests that were no gRPC.
  package internal(set) var foreignRequestCount: UInt64 = 0
  /// Calls refused since there was too much to do.
  package internal(set) var overloadCount: UInt64 = 0

  mutating func add(_ other: ConnectionFigures) {
    openCount += other.openCount
    openedCount += other.openedCount
    failedSecurityCount += other.failedSecurityCount
    endedForCauseCount += other.endedForCauseCount
    receivedByteCount += other.receivedByteCount
    sentByteCount += other.sentByteCount
    resetCount += other.resetCount
    foreignRequestCount += other.foreignRequestCount
    overloadCount += other.overloadCount
  }
}

/// One call that has ended, for a log (G-137). Nothing of what it said (G-161).
package struct CallRecord {
  /// `""` where there is no such method.
  package let path: String
  package let code: StatusCode
  /// From the headers of the request to the end.
  package let milliseconds: UInt32
  package let requestByteCount: UInt32
  package let responseByteCount: UInt32
  package let peer: String
  /// Whom `Admission` let in.
  package let caller: AnyObject?
  package let trace: TraceParent?
}
