/// What has gone over a connection, for whoever judges the peer's conduct (G-144...156). Numbers only grow.
package struct FrameCounts: Hashable, Sendable {
  /// Frames of the peer that carry nothing of a call, SETTINGS counted as twenty: each makes us look at every stream.
  package internal(set) var overhead = 0
  /// HEADERS, and DATA with bytes, of either side: what explains the peer's other frames.
  package internal(set) var useful = 0
  /// HEADERS and DATA that have left (G-108).
  package internal(set) var sent = 0
  /// Streams that were reset since the peer broke the protocol on them (G-150).
  package internal(set) var faults = 0
  /// The largest number of DATA frames on one stream that carry nothing and end nothing (G-149).
  package internal(set) var emptyData = 0

  package init() {}

  /// Takes the header of a frame that the peer has begun.
  package mutating func began(type: UInt8, byteCount: Int) {
    switch type {
    case 0: if byteCount > 0 { useful += 1 } else { overhead += 1 }
    case 1: useful += 1
    case 4: overhead += 20
    case _: overhead += 1
    }
  }

  /// A stream above the number that the peer knows it may have.
  mutating func refusedOpening() {
    overhead += 10
  }

  mutating func sentReset(errorCode: UInt32) {
    switch HTTP2ErrorCode(rawValue: errorCode) {
    case .protocolError, .flowControlError, .streamClosed, .frameSizeError: faults += 1
    case _: break
    }
  }
}
