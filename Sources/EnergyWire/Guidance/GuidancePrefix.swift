internal import EnergyModel
package import FoundationEssentials
internal import ProtobufWire

/// What differs from caller to caller in a message of guidance, and the head of the field that holds it all: the part
/// before a `GuidanceSuffix` in StreamGuidanceResponse and in GetGuidanceResponse, whose field 1 it is
/// (docs/architecture.md, Fan-out).
package struct GuidancePrefix: Hashable, Sendable {
  package let token: UUID
  package let venueID: UUID

  private static let guidanceField: UInt32 = 1

  package init(token: UUID, venueID: UUID) {
    self.token = token
    self.venueID = venueID
  }

  /// Tag, length and text of both UUIDs.
  private static let idsByteCount = 2 * (2 + UUID.textByteCount)

  /// Bytes before a suffix of `suffixByteCount` bytes.
  package static func byteCount(before suffixByteCount: Int) -> Int {
    var counter = CountingSink()
    counter.messageHead(byteCount: idsByteCount + suffixByteCount, guidanceField)
    return counter.count + idsByteCount
  }

  /// Fills `buffer`, which must have `byteCount(before:)` bytes.
  package func write(before suffixByteCount: Int, into buffer: UnsafeMutableRawBufferPointer) {
    var sink = BufferSink(buffer)
    encode(before: suffixByteCount, to: &sink)
    sink.finish()
  }

  func encode(before suffixByteCount: Int, to sink: inout some WireSink) {
    sink.messageHead(byteCount: Self.idsByteCount + suffixByteCount, Self.guidanceField)
    sink.uuid(token, 1)
    sink.uuid(venueID, 2)
  }
}
