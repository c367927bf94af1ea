package import ProtobufWire

package struct RotateClientKeyResponse: ResponseMessage, WireMessage {
  package let apiKey: String

  package init(apiKey: String) {
    self.apiKey = apiKey
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) { sink.string(apiKey, 1) }
}
