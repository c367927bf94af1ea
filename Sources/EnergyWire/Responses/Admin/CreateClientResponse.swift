package import EnergyModel
package import ProtobufWire

package struct CreateClientResponse: ResponseMessage, WireMessage {
  package let client: Client
  /// Empty where the client was there already.
  package let apiKey: String

  package init(client: Client, apiKey: String) {
    self.client = client
    self.apiKey = apiKey
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) {
    sink.message(ClientMessage(client), 1)
    sink.string(apiKey, 2)
  }
}
