internal import EnergyModel
internal import FoundationEssentials

extension WireSink {
  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  private mutating func key(_ field: UInt32, _ type: WireScanner.WireType) {
    varint(UInt64(field) << 3 | UInt64(type.rawValue))
  }

  /// int32, int64 or an enum.
  mutating func integer(_ value: Int64, _ field: UInt32) {
    guard value != 0 else { return }
    key(field, .varint)
    varint(UInt64(bitPattern: value))
  }

  mutating func integer(_ value: Int, _ field: UInt32) { integer(Int64(value), field) }

  mutating func bool(_ value: Bool, _ field: UInt32) { integer(value ? 1 : 0, field) }

  mutating func double(_ value: Double, _ field: UInt32) {
    guard value.bitPattern != 0 else { return }
    key(field, .fixed64)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { append($0) }
  }

  mutating func bytes(_ bytes: UnsafeRawBufferPointer, _ field: UInt32) {
    key(field, .lengthDelimited)
    varint(UInt64(bytes.count))
    append(bytes)
  }

  mutating func string(_ text: String, _ field: UInt32) {
    guard !text.isEmpty else { return }
    var copy = text
    copy.withUTF8 { bytes(UnsafeRawBufferPointer($0), field) }
  }

  /// In lower case, as ids are given out.
  mutating func uuid(_ uuid: UUID, _ field: UInt32) {
    withUnsafeTemporaryAllocation(byteCount: UUID.textByteCount, alignment: 1) { buffer in
      uuid.writeText(to: buffer)
      bytes(UnsafeRawBufferPointer(buffer), field)
    }
  }

  /// Also where the message is empty.
  mutating func message(_ message: some WireMessage, _ field: UInt32) {
    key(field, .lengthDelimited)
    varint(UInt64(message.encodedByteCount))
    message.encode(to: &self)
  }

  mutating func message(_ message: (some WireMessage)?, _ field: UInt32) {
    if let message { self.message(message, field) }
  }

  /// The head of a message field whose `byteCount` bytes follow.
  mutating func messageHead(byteCount: Int, _ field: UInt32) {
    key(field, .lengthDelimited)
    varint(UInt64(byteCount))
  }
}

/// google.protobuf.Timestamp.
struct TimestampMessage: WireMessage {
  let time: Timestamp

  init(_ time: Timestamp) { self.time = time }

  func encode(to sink: inout some WireSink) {
    sink.integer(time.seconds, 1)
    sink.integer((time.milliseconds - time.seconds * 1000) * 1_000_000, 2)
  }
}

/// google.protobuf.Duration of whole seconds.
struct DurationMessage: WireMessage {
  let seconds: Int

  func encode(to sink: inout some WireSink) { sink.integer(seconds, 1) }
}

/// google.protobuf.DoubleValue.
struct DoubleValueMessage: WireMessage {
  let value: Double

  init(_ value: Double) { self.value = value }

  func encode(to sink: inout some WireSink) { sink.double(value, 1) }
}

/// energykit.v1.TimeInterval.
struct TimeIntervalMessage: WireMessage {
  let interval: Interval

  init(_ interval: Interval) { self.interval = interval }

  func encode(to sink: inout some WireSink) {
    sink.message(TimestampMessage(interval.start), 1)
    sink.message(TimestampMessage(interval.end), 2)
  }
}
