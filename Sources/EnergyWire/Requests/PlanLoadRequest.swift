internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

package struct PlanLoadRequest: Hashable, Sendable {
  package let venueID: UUID
  package let action: SuggestedAction
  /// Not empty.
  package let window: Interval
  /// Running time, above 0.
  package let milliseconds: Int64
  package let isContiguous: Bool

  package init(decoding message: UnsafeRawBufferPointer, arena: DecodeArena) throws(WireError) {
    try arena.begin(message)
    guard
      let raw = energykit__v1__plan_load_request__unpack(
        arena.allocator, message.count, message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { throw arena.unpackError }
    venueID = try arena.uuid(raw.pointee.venue_id, field: "venue_id")
    action = try arena.action(raw.pointee.suggested_action)
    window = try Self.window(raw.pointee.window)
    milliseconds = try Self.duration(raw.pointee.duration)
    isContiguous = raw.pointee.contiguous != 0
  }

  private static func window(
    _ raw: UnsafeMutablePointer<Energykit__V1__TimeInterval>?
  ) throws(WireError) -> Interval {
    guard let raw else { throw .invalid("window", "is missing") }
    guard let start = Timestamp(raw.pointee.start) else { throw .invalid("window.start", "is missing or no timestamp") }
    guard let end = Timestamp(raw.pointee.end) else { throw .invalid("window.end", "is missing or no timestamp") }
    guard start < end, let window = Interval(start: start, end: end) else {
      throw .invalid("window", "must end after its start")
    }
    return window
  }

  /// Cut to milliseconds, one at least.
  private static func duration(
    _ raw: UnsafeMutablePointer<Google__Protobuf__Duration>?
  ) throws(WireError) -> Int64 {
    guard let raw else { throw .invalid("duration", "is missing") }
    let seconds = raw.pointee.seconds
    let nanos = raw.pointee.nanos
    guard (0...315_576_000_000).contains(seconds), (0...999_999_999).contains(nanos), seconds > 0 || nanos > 0 else {
      throw .invalid("duration", "must be above 0")
    }
    return max(1, seconds * 1_000 + Int64(nanos / 1_000_000))
  }
}
