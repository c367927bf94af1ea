internal import EnergyModel
internal import FoundationEssentials
internal import Glibc

// Events that follow each other mostly belong to one session of one device. What the last event made of a text is used
// again where the bytes are the same: no second parse, no second string.

/// The last UUID read, by its text.
struct UUIDMemory {
  private var text: [UInt8] = []
  private var value: UUID?

  /// `nil` where `bytes` is no UUID.
  mutating func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID? {
    if let value, text.holdsSameBytes(as: bytes) { return value }
    guard let parsed = UUID(text: bytes) else { return nil }
    text.replaceContents(with: bytes)
    value = parsed
    return parsed
  }
}

/// The last device read, by its id and name as sent.
struct DeviceMemory<Value> {
  /// Longer names are not remembered, so that little is copied.
  private static var maximumNameByteCount: Int { 256 }

  private var id: [UInt8] = []
  private var name: [UInt8] = []
  private var hasName = false
  private var value: Value?

  func value(id: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer?) -> Value? {
    guard let value, self.id.holdsSameBytes(as: id), hasName == (name != nil) else { return nil }
    if let name, !self.name.holdsSameBytes(as: name) { return nil }
    return value
  }

  mutating func remember(
    _ value: Value, id: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer?
  ) -> Value {
    guard name?.count ?? 0 <= Self.maximumNameByteCount else { return value }
    self.id.replaceContents(with: id)
    if let name { self.name.replaceContents(with: name) }
    hasName = name != nil
    self.value = value
    return value
  }
}

extension [UInt8] {
  fileprivate func holdsSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count, let theirs = other.baseAddress else { return count == other.count }
    return withUnsafeBytes { ours in
      guard let mine = ours.baseAddress else { return true }
      return memcmp(mine, theirs, ours.count) == 0
    }
  }

  fileprivate mutating func replaceContents(with other: UnsafeRawBufferPointer) {
    removeAll(keepingCapacity: true)
    append(contentsOf: other)
  }
}
