package import EnergyModel
package import ProtobufWire

package struct ListClientsResponse: ResponseMessage, WireMessage {
  /// Ascending by name, then id.
  package let clients: [Client]
  /// Where the listing goes on; `nil` at its end.
  package let nextPageToken: PageToken?

  package init(clients: [Client], nextPageToken: PageToken?) {
    self.clients = clients
    self.nextPageToken = nextPageToken
  }

  package var byteCount: Int { encodedByteCount }
  package func write(into buffer: UnsafeMutableRawBufferPointer) { encode(into: buffer) }

  package func encode(to sink: inout some WireSink) {
    for client in clients { sink.message(ClientMessage(client), 1) }
    if let nextPageToken { sink.string(nextPageToken.text(in: .clients), 2) }
  }
}
