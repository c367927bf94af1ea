package import GRPC

/// What became of the calls of one method, since the start (G-137).
package struct CallFigures: Sendable {
  /// Upper ends of the classes of durations, milliseconds; one more class is open above.
  package static let durationBounds: [UInt32] = [
    1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000,
  ]

  package internal(set) var startedCount: UInt64 = 0
  /// By code.
  private var ended = InlineArray<17, UInt64>(repeating: 0)
  private var durations = InlineArray<15, UInt64>(repeating: 0)
  package private(set) var durationMilliseconds: UInt64 = 0
  /// Messages with their prefixes, as they came, compressed or not.
  package private(set) var requestByteCount: UInt64 = 0
  package private(set) var responseByteCount: UInt64 = 0

  package var endedCount: UInt64 {
    var sum: UInt64 = 0
    for index in ended.indices { sum += ended[index] }
    return sum
  }

  package var inFlightCount: UInt64 { startedCount - endedCount }

  package subscript(code: StatusCode) -> UInt64 { ended[code.rawValue] }

  /// Calls that took no longer than the bound at `index`, and above all bounds.
  package func durationCount(_ index: Int) -> UInt64 { durations[index] }

  mutating func end(_ code: StatusCode, milliseconds: UInt32, requestBytes: UInt32, responseBytes: UInt32) {
    ended[code.rawValue] += 1
    var place = 0
    while place < Self.durationBounds.count, milliseconds > Self.durationBounds[place] { place += 1 }
    durations[place] += 1
    durationMilliseconds += UInt64(milliseconds)
    requestByteCount += UInt64(requestBytes)
    responseByteCount += UInt64(responseBytes)
  }

  mutating func add(_ other: CallFigures) {
    startedCount += other.startedCount
    for index in ended.indices { ended[index] += other.ended[index] }
    for index in durations.indices { durations[index] += other.durations[index] }
    durationMilliseconds += other.durationMilliseconds
    requestByteCount += other.requestByteCount
    responseByteCount += other.responseByteCount
  }
}
