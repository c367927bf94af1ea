import Glibc

/// The header block of one request, in one buffer that its connection uses again and again: header blocks of a
/// connection never interleave (RFC 9113 §4.3). Valid only while its call is being admitted.
package final class RequestHead {
  /// What a block has come to so far (G-018, G-046, G-153).
  package enum Size: Hashable, Sendable {
    case fits
    /// Above the limit: nothing more is kept, and `judge` refuses the call.
    case costsCall
    /// Above four times the limit: the connection is to be closed.
    case costsConnection
  }

  /// Fields that have a place of their own: found while they are appended, then read without a search.
  package enum Slot: Int, CaseIterable, Sendable {
    case method, path, scheme, authority, host, contentType, te, timeout, encoding, acceptEncoding, authorization
    case userAgent
  }

  private static let absent: Int32 = -1
  private static let noSlots = InlineArray<12, Int32>(repeating: absent)

  let limit: Int
  // Every field of every request comes by here, and nothing is called while one of these is being changed: the dynamic
  // checks of exclusive access, and arrays, would cost more than the work itself.
  @exclusivity(unchecked) private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  @exclusivity(unchecked) private var byteCount = 0
  @exclusivity(unchecked) private var spans = UnsafeMutableBufferPointer<FieldBlock.Span>(start: nil, count: 0)
  @exclusivity(unchecked) private var spanCount = 0
  @exclusivity(unchecked) private var slots = noSlots

  /// Names, values and 32 octets a field, also of those that were not kept (RFC 9113 §6.5.2).
  @exclusivity(unchecked) package private(set) var listByteCount = 0

  /// - Parameter maximumListByteCount: As announced by SETTINGS_MAX_HEADER_LIST_SIZE.
  package init(maximumListByteCount: Int = CallLimits.headerListBytes) {
    limit = maximumListByteCount
  }

  deinit {
    bytes.deallocate()
    spans.deallocate()
  }

  package var size: Size {
    if listByteCount <= limit { .fits } else if listByteCount <= 4 * limit { .costsCall } else { .costsConnection }
  }

  package func removeAll() {
    byteCount = 0
    spanCount = 0
    slots = Self.noSlots
    listByteCount = 0
  }

  /// Takes one field, its name in lower case; of a repeated field with a slot, the first counts.
  @discardableResult
  package func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Size {
    listByteCount += name.count + value.count + FieldBlock.fieldOverhead
    let size = size
    guard size == .fits else { return size }
    if let slot = Self.slot(name), slots[slot.rawValue] == Self.absent {
      slots[slot.rawValue] = Int32(truncatingIfNeeded: spanCount)
    }
    keep(name, value)
    return size
  }

  private func keep(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    let end = byteCount + name.count + value.count
    if end > bytes.count || spanCount == spans.count { grow(toHold: end) }
    guard let base = bytes.baseAddress else { return }
    if let start = name.baseAddress { memcpy(base + byteCount, start, name.count) }
    if let start = value.baseAddress { memcpy(base + byteCount + name.count, start, value.count) }
    spans[spanCount] = FieldBlock.Span(
      start: UInt32(truncatingIfNeeded: byteCount), middle: UInt32(truncatingIfNeeded: byteCount + name.count),
      end: UInt32(truncatingIfNeeded: end))
    byteCount = end
    spanCount += 1
  }

  /// Bounded by `limit`: what does not fit it is not kept.
  private func grow(toHold count: Int) {
    if count > bytes.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(512, 2 * count), alignment: 8)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
      bytes.deallocate()
      bytes = larger
    }
    if spanCount == spans.count {
      let larger = UnsafeMutableBufferPointer<FieldBlock.Span>.allocate(capacity: max(16, 2 * spanCount))
      _ = larger.update(fromContentsOf: spans[..<spanCount])
      spans.deallocate()
      spans = larger
    }
  }

  private var fields: FieldBlock.Fields {
    FieldBlock.Fields(
      bytes: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]),
      spans: UnsafeBufferPointer(rebasing: spans[..<spanCount]))
  }

  package func has(_ slot: Slot) -> Bool { slots[slot.rawValue] != Self.absent }

  /// Calls `body` with the value of `slot`; returns `nil` where the field is absent. The bytes are valid until `body`
  /// returns.
  package func withValue<Result>(_ slot: Slot, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    let index = slots[slot.rawValue]
    guard index != Self.absent else { return nil }
    return body(fields[Int(index)].value)
  }

  /// `:authority`, or `host` in its stead (G-033).
  package func withAuthority<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    withValue(has(.authority) ? .authority : .host, body)
  }

  /// Calls `body` with the first value under `name` (lower case); returns `nil` where there is none.
  package func withFirstValue<Result>(_ name: StaticString, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    fields.first { $0.name.equals(name) }.map { body($0.value) }
  }

  /// All fields kept, in order; valid until `body` returns.
  package func withFields<Result>(_ body: (FieldBlock.Fields) -> Result) -> Result {
    body(fields)
  }

  /// Length first: most names need one comparison.
  private static func slot(_ name: UnsafeRawBufferPointer) -> Slot? {
    switch name.count {
    case 2: name.equals("te") ? .te : nil
    case 4: name.equals("host") ? .host : nil
    case 5: name.equals(":path") ? .path : nil
    case 7: name.equals(":method") ? .method : name.equals(":scheme") ? .scheme : nil
    case 10: name.equals(":authority") ? .authority : name.equals("user-agent") ? .userAgent : nil
    case 12: name.equals("content-type") ? .contentType : name.equals("grpc-timeout") ? .timeout : nil
    case 13: name.equals("grpc-encoding") ? .encoding : name.equals("authorization") ? .authorization : nil
    case 20: name.equals("grpc-accept-encoding") ? .acceptEncoding : nil
    case _: nil
    }
  }
}
