/// One thing an operator can set. The raw value is the flag's name (`--listen`), the key in the configuration file
/// (`listen`) and, in upper case with `_`, the environment variable (`ENERGYKIT_LISTEN`).
enum Setting: String, CaseIterable {
  case listen
  case unixSocketMode = "unix-socket-mode"
  case tlsCert = "tls-cert"
  case tlsKey = "tls-key"
  case tlsClientCA = "tls-client-ca"
  case data
  case store
  case grid
  case demo
  case clockOffset = "clock-offset"
  case config
  case adminKeyFile = "admin-key-file"
  case loops
  case guidanceMinInterval = "guidance-min-interval"
  case tokenKeyDays = "token-key-days"
  case sessionRules = "session-rules"
  case callsPerSecond = "calls-per-second"
  case callBurst = "call-burst"
  case eventsPerSecond = "events-per-second"
  case eventBurst = "event-burst"
  case dailyEvents = "daily-events"
  case streamsPerClient = "streams-per-client"
  case reflection
  case webOrigin = "web-origin"
  case drainSeconds = "drain-seconds"
  case maxConnections = "max-connections"
  case maxConnectionsPerAddress = "max-connections-per-address"
  case maxConnectionAge = "max-connection-age"
  case maxConnectionAgeGrace = "max-connection-age-grace"
  case maxConnectionIdle = "max-connection-idle"
  case keepaliveTime = "keepalive-time"
  case keepaliveTimeout = "keepalive-timeout"
  case minPingInterval = "min-ping-interval"
  case drainDelay = "drain-delay"
  case maxCalls = "max-calls"
  case maxCallsPerConnection = "max-calls-per-connection"
  case adminHTTP = "admin-http"
  case logCalls = "log-calls"
  case logLevel = "log-level"
  case logFormat = "log-format"
  case help
  case version

  /// What stands for the argument in the help; `nil` for switches.
  var placeholder: String? {
    switch self {
    case .listen: "ADDR"
    case .unixSocketMode: "MODE"
    case .data: "DIR"
    case .store: "URL"
    case .clockOffset, .guidanceMinInterval, .drainSeconds, .drainDelay,
      .maxConnectionAge, .maxConnectionAgeGrace, .maxConnectionIdle, .keepaliveTime, .keepaliveTimeout,
      .minPingInterval:
      "S"
    case .config, .adminKeyFile, .grid, .tlsCert, .tlsKey, .tlsClientCA: "FILE"
    case .loops, .maxConnections, .maxConnectionsPerAddress, .maxCalls, .maxCallsPerConnection, .callsPerSecond,
      .callBurst,
      .eventsPerSecond, .eventBurst, .dailyEvents, .streamsPerClient, .tokenKeyDays:
      "N"
    case .adminHTTP: "ADDR"
    case .sessionRules: "strict|lenient"
    case .reflection, .logCalls: "on|off"
    case .webOrigin: "ORIGIN"
    case .logLevel: "debug|info|notice|warning|error"
    case .logFormat: "text|json"
    case .demo, .help, .version: nil
    }
  }

  var help: String {
    switch self {
    case .listen:
      "serve here; may be given again. 127.0.0.1:50051, [::1]:50051, unix:/path; port 0 picks one; tls+ before it: "
        + "TLS; mtls+: a client certificate is demanded; admin+ before those "
        + "serves AdminService there too, which loopback and unix listeners always do (default 127.0.0.1:50051)"
    case .tlsCert: "for tls+ and mtls+: the server's certificate, then those that lead to its root (PEM)"
    case .tlsKey: "the certificate's key (PEM, without a passphrase)"
    case .tlsClientCA: "who may have signed a client's certificate (PEM); without it clients are not asked for one"
    case .unixSocketMode: "permissions of unix sockets: who may connect (default 660)"
    case .data: "keep the SQLite store and the admin key in this directory, made if missing"
    case .store: "memory: keeps nothing over a restart (for tests and measurements)"
    case .grid:
      "grid signals from this CSV file, described by the manifest FILE.json beside it; may be given again"
    case .demo: "replay the bundled grid data as if it were now; makes three venues and clients, writes DIR/demo.json"
    case .clockOffset: "move the server's clock by this many seconds; only with --demo (default 0)"
    case .config: "read settings from this file: `name = value` lines, # begins a comment"
    case .adminKeyFile: "the operator's key (default DIR/admin.key, made on the first start)"
    case .loops: "event loops (default: one per core)"
    case .tokenKeyDays:
      "days after which a start makes a new key for guidance tokens; the old one checks for 40 days more (default 90; 0: "
        + "never)"
    case .guidanceMinInterval: "least time between two guidances of a series (default 300)"
    case .sessionRules:
      "lenient stores 0 where a begin or end event carries power, instead of refusing (default strict)"
    case .callsPerSecond: "calls of one client, over time; more wait (default 50; 0: no limit)"
    case .callBurst: "calls of one client at once, after a pause (default 200)"
    case .eventsPerSecond: "events stored of one client, over time (default 1000; 0: no limit)"
    case .eventBurst: "the same at once, and in one batch (default 20000)"
    case .dailyEvents: "events stored of one client in a day, UTC (default 0: no limit)"
    case .streamsPerClient:
      "streams of guidance and of events that one client may have open (default 10000; 0: no limit)"
    case .reflection: "whether the server describes its services to grpcurl, buf and their like (default on)"
    case .webOrigin:
      "pages from here may call by gRPC-Web, for example https://app.example.com; * for all; may be given again (default: "
        + "gRPC-Web is not served)"
    case .drainSeconds: "time that calls get to end after SIGTERM (default 10)"
    case .maxConnections: "connections at once; more are closed as they come (default 10000)"
    case .maxConnectionsPerAddress:
      "the same for one address, or one IPv6 network of 64 bits; given, it holds for this machine too (default 1000, for "
        + "others)"
    case .maxConnectionAge: "end each connection in good order after this, give or take a tenth (default 0: never)"
    case .maxConnectionAgeGrace: "time that its calls get to end then (default 60)"
    case .maxConnectionIdle: "end a connection after this long without a call (default 0: never)"
    case .keepaliveTime:
      "ask a silent client whether it is there after this long with a call open, or 30 times as long without "
        + "(default 240)"
    case .keepaliveTimeout: "time that it has to answer (default 20)"
    case .minPingInterval:
      "send a client away that asks more often than this though it gets nothing; ten seconds are always enough while a "
        + "call is open (default 300)"
    case .drainDelay:
      "time between NOT_SERVING in the health service and the drain, for load balancers to see it (default 0)"
    case .maxCalls:
      "calls at work at once; more are refused, to be tried again. Streams of guidance and of health do not count "
        + "(default 50000)"
    case .maxCallsPerConnection: "the same for one connection (default 1000)"
    case .adminHTTP:
      "answer GET /metrics, /healthz and /readyz here, in the clear and without a key: 127.0.0.1:9090 (default: not)"
    case .logCalls: "a line in the log for each call when it has ended, at level info (default off)"
    case .logLevel: "least severity that is logged (default info)"
    case .logFormat: "of the log on standard error (default text)"
    case .help: "print this and exit"
    case .version: "print the version and exit"
    }
  }

  var isRepeatable: Bool { self == .listen || self == .grid || self == .webOrigin }
  /// Whether it makes sense outside the command line.
  var isPersistent: Bool { self != .help && self != .version && self != .config }

  var environmentName: String {
    "ENERGYKIT_" + rawValue.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  static var helpText: String {
    var lines = ["usage: energykitd [--listen ADDR]... (--data DIR | --store memory:) [--demo] [settings]", ""]
    for setting in allCases {
      let flag = setting.placeholder.map { "--\(setting.rawValue) \($0)" } ?? "--\(setting.rawValue)"
      lines.append("  \(flag)")
      lines.append("        \(setting.help)")
    }
    lines.append("")
    lines.append(
      "Each is also an environment variable, for example ENERGYKIT_LOG_LEVEL, and a key of the --config file;")
    lines.append(
      "the command line wins over the environment, which wins over the file. Repeated values in one variable")
    lines.append("are separated by spaces.")
    lines.append("")
    lines.append("Exit codes: 0 after a signal, 2 for bad usage or configuration, 1 otherwise.")
    return lines.joined(separator: "\n")
  }
}

/// Bad usage or configuration: one clear line for standard error, exit code 2.
struct UsageError: Error, Equatable {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
