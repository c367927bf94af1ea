internal import EnergyModel
internal import FoundationEssentials
internal import ProtobufWire

/// energykit.v1.Client.
struct ClientMessage: WireMessage {
  let client: Client

  init(_ client: Client) { self.client = client }

  func encode(to sink: inout some WireSink) {
    sink.uuid(client.id, 1)
    sink.string(client.name, 2)
    let entitlements = client.entitlements.map(\.rawValue).sorted()
    // Packed; each value is one byte.
    if !entitlements.isEmpty { entitlements.withUnsafeBytes { sink.bytes($0, 3) } }
    sink.message(TimestampMessage(client.createTime), 4)
    sink.bool(client.isDisabled, 5)
  }
}
