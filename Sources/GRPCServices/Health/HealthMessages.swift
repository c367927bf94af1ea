internal import ProtobufWire

/// grpc.health.v1.HealthCheckResponse.
struct HealthCheckResponse: WireMessage {
  let status: ServingStatus

  func encode(to sink: inout some WireSink) { sink.integer(status.rawValue, 1) }
}

/// grpc.health.v1.HealthListResponse, in the order of the names.
struct HealthListResponse: WireMessage {
  let statuses: [String: ServingStatus]

  func encode(to sink: inout some WireSink) {
    for (name, status) in statuses.sorted(by: { $0.key < $1.key }) {
      sink.message(Entry(name: name, response: HealthCheckResponse(status: status)), 1)
    }
  }

  private struct Entry: WireMessage {
    let name: String
    let response: HealthCheckResponse

    func encode(to sink: inout some WireSink) {
      sink.string(name, 1)
      sink.message(response, 2)
    }
  }
}
