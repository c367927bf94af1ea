import GRPC
import GRPCTransport

extension Configuration {
  /// What the operator asked for about connections: limits, and what time does to them.
  struct Connections: Equatable {
    var limits = CallLimits()
    var policy = ConnectionPolicy()

    init(_ values: SettingValues) throws(UsageError) {
      limits.connections = try values.integer(.maxConnections, in: 1...1_000_000, default: limits.connections)
      limits.callsPerServer = try values.integer(.maxCalls, in: 1...10_000_000, default: limits.callsPerServer)
      limits.callsPerConnection = try values.integer(
        .maxCallsPerConnection, in: 1...1_000_000, default: limits.callsPerConnection)
      if values[.maxConnectionsPerAddress] != nil {
        policy.connectionsPerAddress = try values.integer(.maxConnectionsPerAddress, in: 1...1_000_000, default: 1)
      }
      let age = try values.integer(.maxConnectionAge, in: 0...Self.longest, default: 0)
      if age > 0 { policy.maximumAge = Self.milliseconds(age) }
      if values[.maxConnectionAgeGrace] != nil, age == 0 {
        throw UsageError("--max-connection-age-grace is only for --max-connection-age")
      }
      policy.maximumAgeGrace = try Self.time(.maxConnectionAgeGrace, values, from: 0, policy.maximumAgeGrace)
      let idle = try values.integer(.maxConnectionIdle, in: 0...Self.longest, default: 0)
      if idle > 0 { policy.maximumIdle = Self.milliseconds(idle) }
      policy.keepaliveTime = try Self.time(.keepaliveTime, values, from: 1, policy.keepaliveTime)
      policy.keepaliveTimeout = try Self.time(.keepaliveTimeout, values, from: 1, policy.keepaliveTimeout)
      policy.pingInterval = try Self.time(.minPingInterval, values, from: 0, policy.pingInterval)
      policy.pingIntervalInCalls = min(policy.pingIntervalInCalls, policy.pingInterval)
      policy.webOrigins = try Self.webOrigins(values)
    }

    private static func webOrigins(_ values: SettingValues) throws(UsageError) -> WebOrigins {
      do throws(WebOrigins.Fault) {
        return try WebOrigins(values.all(.webOrigin))
      } catch {
        switch error {
        case .malformed(let text):
          throw UsageError(
            "--web-origin \(text): expected an origin as browsers write it, for example https://app.example.com, or *")
        }
      }
    }

    /// A year, in seconds.
    private static let longest = 31_536_000

    private static func time(
      _ setting: Setting, _ values: SettingValues, from least: Int, _ fallback: UInt64
    ) throws(UsageError) -> UInt64 {
      milliseconds(try values.integer(setting, in: least...longest, default: Int(fallback / 1_000)))
    }

    private static func milliseconds(_ seconds: Int) -> UInt64 { UInt64(seconds) * 1_000 }
  }
}
