internal import EnergyModel
internal import FoundationEssentials
internal import Glibc

// Events that follow each other mostly belong to one session of one device. What the last event made of a text is used
// again where the bytes are the same: no second parse, no second string.

/// The last UUID read, by its text.
struct UUIDMemory {
  private var text = UUIDText()
  private var value: UUID?

  /// `nil` where `bytes` is no UUID.
  mutating func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID? {
    guard bytes.count == UUID.textByteCount else { return nil }
    let text = UUIDText(bytes)
    if let value, text == self.text { return value }
    guard let parsed = UUID(text: bytes) else { return nil }
    self.text = text
    value = parsed
    return parsed
  }
}

/// The 36 bytes of a UUID's text as numbers, to be compared.
private struct UUIDText: Equatable {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  private var last: UInt32 = 0

  init() {}

  /// `bytes` has 36 bytes.
  init(_ bytes: UnsafeRawBufferPointer) {
    words.0 = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    words.1 = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    words.2 = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    words.3 = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
    last = bytes.loadUnaligned(fromByteOffset: 32, as: UInt32.self)
  }

  static func == (a: UUIDText, b: UUIDText) -> Bool { a.words == b.words && a.last == b.last }
}

/// The last device read.
struct DeviceMemory<Device: NamedDevice> {
  private var device: Device?

  /// The last device, where its id is `id` and its name is `name` as sent. A name that the rules have changed is not
  /// found again, since what was sent is not kept.
  func device(id: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer?) -> Device? {
    guard let device, device.idText.hasBytes(id) else { return nil }
    switch (device.nameText, name) {
    case (nil, nil): return device
    case (let known?, let name?): return known.hasBytes(name) ? device : nil
    case (nil, _?), (_?, nil): return nil
    }
  }

  mutating func remember(_ device: Device) -> Device {
    self.device = device
    return device
  }
}

protocol NamedDevice {
  var idText: String { get }
  /// `nil` where the caller sent the id alone.
  var nameText: String? { get }
}

extension DeviceIdentity: NamedDevice {
  var idText: String { id.text }
  var nameText: String? { name }
}

extension ElectricalLoadDevice: NamedDevice {
  var idText: String { id.text }
  var nameText: String? { name }
}

extension String {
  fileprivate func hasBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard utf8.count == bytes.count, let theirs = bytes.baseAddress else { return utf8.count == bytes.count }
    var copy = self
    return copy.withUTF8 { ours in
      guard let mine = ours.baseAddress else { return true }
      return memcmp(mine, theirs, ours.count) == 0
    }
  }
}
