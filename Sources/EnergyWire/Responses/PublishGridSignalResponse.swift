package import ProtobufWire

package struct PublishGridSignalResponse: ResponseMessage, WireMessage {
  /// Points made durable.
  package let storedCount: Int
  package let isGuidanceChanged: Bool
  /// On this node.
  package let subscribersNotified: Int

  package init(storedCount: Int, isGuidanceChanged: Bool, subscribersNotified: Int) {
    self.storedCount = storedCount
    self.isGuidanceChanged = isGuidanceChanged
    self.subscribersNotified = subscribersNotified
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) {
    sink.integer(storedCount, 1)
    sink.bool(isGuidanceChanged, 2)
    sink.integer(subscribersNotified, 3)
  }
}
