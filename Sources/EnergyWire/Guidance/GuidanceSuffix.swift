package import EnergyModel
internal import ProtobufWire

/// Fields 3 and up of ElectricityGuidance: the same bytes for all subscribers of a series (docs/architecture.md,
/// Fan-out).
package enum GuidanceSuffix {
  package static func encode(_ revision: GuidanceRevision) -> [UInt8] { SuffixMessage(revision: revision).encodedBytes }
}

private struct SuffixMessage: WireMessage {
  let revision: GuidanceRevision

  func encode(to sink: inout some WireSink) {
    sink.integer(Int64(revision.series.action.rawValue), 3)
    sink.message(revision.interval.map(TimeIntervalMessage.init), 4)
    if !revision.options.isEmpty {
      // Packed; each value is one byte.
      [UInt8](revision.options.map(\.rawValue)).withUnsafeBytes { sink.bytes($0, 5) }
    }
    for value in revision.values { sink.message(ValueMessage(value: value), 6) }
    sink.message(TimestampMessage(revision.issueTime), 7)
    sink.string(revision.series.gridRegion, 8)
    sink.message(TimestampMessage(revision.nextUpdateTime), 9)
  }
}

/// energykit.v1.GuidanceValue.
private struct ValueMessage: WireMessage {
  let value: GuidanceValue

  func encode(to sink: inout some WireSink) {
    sink.message(TimeIntervalMessage(value.interval), 1)
    sink.double(value.rating.value, 2)
  }
}
