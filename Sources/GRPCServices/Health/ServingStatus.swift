/// grpc.health.v1.HealthCheckResponse.ServingStatus. Raw values are the wire's.
package enum ServingStatus: Int, Hashable, Sendable {
  case unknown = 0
  case serving = 1
  case notServing = 2
  /// Of a service that the server has not (G-121); in answers of Watch only.
  case serviceUnknown = 3
}
