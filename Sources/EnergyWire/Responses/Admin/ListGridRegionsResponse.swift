package import EnergyModel
package import ProtobufWire

package struct ListGridRegionsResponse: ResponseMessage, WireMessage {
  package struct Region: Hashable, Sendable {
    package let code: String
    /// Empty where nobody has given it one.
    package let name: String
    package let latestIssueTime: Timestamp?
    package let guidanceInterval: Interval?
    package let quality: DataQuality?

    package init(
      code: String, name: String, latestIssueTime: Timestamp?, guidanceInterval: Interval?, quality: DataQuality?
    ) {
      self.code = code
      self.name = name
      self.latestIssueTime = latestIssueTime
      self.guidanceInterval = guidanceInterval
      self.quality = quality
    }
  }

  package let regions: [Region]

  package init(regions: [Region]) {
    self.regions = regions
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) {
    for region in regions { sink.message(region, 1) }
  }
}

extension ListGridRegionsResponse.Region: WireMessage {
  package func encode(to sink: inout some WireSink) {
    sink.string(code, 1)
    sink.string(name, 2)
    if let latestIssueTime { sink.message(TimestampMessage(latestIssueTime), 3) }
    if let guidanceInterval { sink.message(TimeIntervalMessage(guidanceInterval), 4) }
    if let quality { sink.integer(Int(quality.rawValue), 5) }
  }
}
