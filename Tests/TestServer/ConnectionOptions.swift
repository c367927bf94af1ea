package import GRPC
package import GRPCTransport

/// energykitd's flags about connections, with parts of seconds (`0.5`), and some that only tests need.
package struct ConnectionOptions {
  package var policy = ConnectionPolicy()
  package var limits = CallLimits()

  /// Returns whether `flag` is one of these and `value` makes sense.
  mutating func take(_ flag: String, _ value: String) -> Bool {
    guard let number = Double(value), (0...1e9).contains(number) else { return false }
    let milliseconds = UInt64(number * 1_000)
    switch flag {
    case "--max-connection-age": policy.maximumAge = milliseconds
    case "--max-connection-age-grace": policy.maximumAgeGrace = milliseconds
    case "--max-connection-idle": policy.maximumIdle = milliseconds
    case "--keepalive-time": policy.keepaliveTime = milliseconds
    case "--keepalive-timeout": policy.keepaliveTimeout = milliseconds
    case "--min-ping-interval": policy.pingInterval = milliseconds
    case "--max-calls": limits.callsPerServer = Int(number)
    case "--max-calls-per-connection": limits.callsPerConnection = Int(number)
    case "--max-connections": limits.connections = Int(number)
    case "--max-connections-per-address": policy.connectionsPerAddress = Int(number)
    // For tests alone.
    case "--min-ping-interval-in-calls": policy.pingIntervalInCalls = milliseconds
    case "--header-block-time": policy.headerBlock = milliseconds
    case "--request-idle-time": policy.requestIdle = milliseconds
    case "--establishment-time": limits.establishmentMilliseconds = milliseconds
    case "--streams-per-connection": limits.streamsPerConnection = Int(number)
    case _: return false
    }
    return true
  }
}
