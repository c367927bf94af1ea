import AdminHTTP
import Diagnostics
import EnergyService
import GRPC
import GRPCTransport
import NetworkIO

/// What the operator asked for, checked as far as it can be without touching anything.
struct Configuration {
  struct Listener {
    let address: SocketAddress
    let security: ListenAddress.Security
    let allowsAdmin: Bool
    /// Permissions of a unix socket.
    let fileMode: UInt32
  }

  /// Paths of PEM files.
  struct TLSFiles: Equatable {
    let certificate: String
    let key: String
    let clientAuthority: String?
  }

  enum Store: Equatable {
    case directory(String)
    case memory
  }

  let listeners: [Listener]
  /// Given where a listener speaks TLS.
  let tlsFiles: TLSFiles?
  let store: Store
  /// Where demo.json and admin.key go; `nil` where nothing is kept.
  let dataDirectory: String?
  let isDemo: Bool
  let gridFiles: [String]
  let clockOffsetSeconds: Int
  let adminKeyFile: String?
  let loopCount: Int
  let guidanceMinIntervalSeconds: Int
  /// `nil`: one key for ever.
  let tokenKeyDays: Int?
  let hasLenientSessionRules: Bool
  let clientLimits: ClientLimits
  let servesReflection: Bool
  let drainSeconds: Int
  let connections: Connections
  let drainDelaySeconds: Int
  let adminHTTP: AdminAddress?
  let logsCalls: Bool
  let logLevel: Log.Level
  let logFormat: Log.Format

  init(_ values: SettingValues, coreCount: Int) throws(UsageError) {
    listeners = try Self.listeners(values)
    tlsFiles = try Self.tlsFiles(values, for: listeners)
    dataDirectory = values[.data]
    store = try Self.store(values)
    isDemo = try values.isOn(.demo)
    gridFiles = values.all(.grid)
    if isDemo, dataDirectory == nil { throw UsageError("--demo needs --data DIR, where it writes demo.json") }
    clockOffsetSeconds = try values.integer(.clockOffset, in: -315_360_000...315_360_000, default: 0)
    if clockOffsetSeconds != 0, !isDemo { throw UsageError("--clock-offset is only for --demo") }
    adminKeyFile = values[.adminKeyFile] ?? dataDirectory.map { $0 + "/admin.key" }
    loopCount = try values.integer(.loops, in: 1...256, default: max(1, coreCount))
    guidanceMinIntervalSeconds = try values.integer(.guidanceMinInterval, in: 0...86_400, default: 300)
    let keyDays = try values.integer(.tokenKeyDays, in: 0...36_500, default: 90)
    tokenKeyDays = keyDays == 0 ? nil : keyDays
    hasLenientSessionRules = try values.choice(.sessionRules, ["strict": false, "lenient": true], default: "strict")
    clientLimits = try Self.clientLimits(values)
    servesReflection = try values.choice(.reflection, ["on": true, "off": false], default: "on")
    drainDelaySeconds = try values.integer(.drainDelay, in: 0...3_600, default: 0)
    drainSeconds = try values.integer(.drainSeconds, in: 0...3_600, default: 10)
    connections = try Connections(values)
    adminHTTP = try Self.adminHTTP(values)
    logsCalls = try values.choice(.logCalls, ["on": true, "off": false], default: "off")
    logLevel = try Self.logLevel(values)
    logFormat = try values.choice(.logFormat, ["text": .text, "json": .json], default: "text")
  }

  private static func clientLimits(_ values: SettingValues) throws(UsageError) -> ClientLimits {
    var limits = ClientLimits()
    limits.callsPerSecond = try values.integer(.callsPerSecond, in: 0...1_000_000, default: limits.callsPerSecond)
    limits.callBurst = try values.integer(.callBurst, in: 1...10_000_000, default: limits.callBurst)
    limits.eventsPerSecond = try values.integer(.eventsPerSecond, in: 0...1_000_000, default: limits.eventsPerSecond)
    limits.eventBurst = try values.integer(.eventBurst, in: 1...10_000_000, default: limits.eventBurst)
    limits.dailyEvents = try values.integer(.dailyEvents, in: 0...1_000_000_000_000, default: limits.dailyEvents)
    limits.streams = try values.integer(.streamsPerClient, in: 0...1_000_000, default: limits.streams)
    return limits
  }

  private static func adminHTTP(_ values: SettingValues) throws(UsageError) -> AdminAddress? {
    guard let text = values[.adminHTTP] else { return nil }
    guard let address = AdminAddress(text) else {
      throw UsageError("--admin-http \(text): expected ADDRESS:PORT, for example 127.0.0.1:9090 or [::1]:9090")
    }
    return address
  }

  static func logLevel(_ values: SettingValues) throws(UsageError) -> Log.Level {
    try values.choice(
      .logLevel, ["debug": .debug, "info": .info, "notice": .notice, "warning": .warning, "error": .error],
      default: "info")
  }

  private static func store(_ values: SettingValues) throws(UsageError) -> Store {
    if let directory = values[.data], directory.isEmpty { throw UsageError("--data: expected a directory, not \"\"") }
    switch values[.store] {
    case nil:
      guard let directory = values[.data] else {
        throw UsageError("nowhere to keep data: give --data DIR (or --store memory: for a trial)")
      }
      return .directory(directory)
    case "memory:": return .memory
    case .some(let other): throw UsageError("--store \(other): expected memory: (or --data DIR instead)")
    }
  }

  private static func listeners(_ values: SettingValues) throws(UsageError) -> [Listener] {
    let texts = values.all(.listen)
    let fileMode = try values.fileMode(.unixSocketMode, default: "660")
    var result: [Listener] = []
    for text in texts.isEmpty ? ["127.0.0.1:50051"] : texts {
      guard let listen = ListenAddress(text) else {
        throw UsageError(
          "--listen \(text): expected [admin+][tls+|mtls+]ADDRESS:PORT or unix:/PATH, for example 127.0.0.1:50051, "
            + "tls+[::1]:50051")
      }
      result.append(
        Listener(
          address: listen.address, security: listen.security,
          allowsAdmin: listen.saysAdmin || listen.address.isLoopback, fileMode: fileMode))
    }
    return result
  }

  /// Certificates that nobody uses are as wrong as listeners without: the operator meant something else.
  private static func tlsFiles(_ values: SettingValues, for listeners: [Listener]) throws(UsageError) -> TLSFiles? {
    let certificate = values[.tlsCert]
    let key = values[.tlsKey]
    let authority = values[.tlsClientCA]
    let secured = listeners.filter { $0.security != .clear }
    guard let first = secured.first else {
      let given = [Setting.tlsCert, .tlsKey, .tlsClientCA].first { values[$0] != nil }
      if let given { throw UsageError("--\(given.rawValue) is given, but no --listen begins with tls+ or mtls+") }
      return nil
    }
    guard let certificate, let key else {
      throw UsageError("--listen \(first.address): TLS needs --tls-cert and --tls-key")
    }
    if let mutual = listeners.first(where: { $0.security == .mutualTLS }), authority == nil {
      throw UsageError("--listen mtls+\(mutual.address): needs --tls-client-ca, to judge clients by")
    }
    return TLSFiles(certificate: certificate, key: key, clientAuthority: authority)
  }
}

extension SettingValues {
  /// One of a few words.
  func choice<Value>(
    _ setting: Setting, _ choices: [String: Value], default fallback: String
  ) throws(UsageError)
    -> Value
  {
    let text = self[setting] ?? fallback
    guard let value = choices[text] else {
      throw UsageError("--\(setting.rawValue): expected \(setting.placeholder ?? ""), not \"\(text)\"")
    }
    return value
  }

  /// Permissions in octal, as chmod(1) takes them: 0 to 777.
  func fileMode(_ setting: Setting, default fallback: String) throws(UsageError) -> UInt32 {
    let text = self[setting] ?? fallback
    guard let mode = UInt32(text, radix: 8), mode <= 0o777 else {
      throw UsageError("--\(setting.rawValue): expected permissions in octal, for example 660, not \"\(text)\"")
    }
    return mode
  }
}
