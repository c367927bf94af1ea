internal import EnergyModel
internal import FoundationEssentials
internal import ProtobufWire

extension WireSink {
  /// In lower case, as ids are given out.
  mutating func uuid(_ uuid: UUID, _ field: UInt32) {
    withUnsafeTemporaryAllocation(byteCount: UUID.textByteCount, alignment: 1) { buffer in
      uuid.writeText(to: buffer)
      bytes(UnsafeRawBufferPointer(buffer), field)
    }
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
