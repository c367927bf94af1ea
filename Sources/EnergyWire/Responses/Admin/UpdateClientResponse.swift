package import EnergyModel
package import ProtobufWire

package struct UpdateClientResponse: ResponseMessage, WireMessage {
  package let client: Client

  package init(client: Client) {
    self.client = client
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) { sink.message(ClientMessage(client), 1) }
}
