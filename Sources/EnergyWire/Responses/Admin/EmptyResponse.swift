package import ProtobufWire

/// A response without fields: of deletions, and of SetVenueAccess.
package struct EmptyResponse: ResponseMessage, WireMessage {
  package init() {}

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) {}
}
