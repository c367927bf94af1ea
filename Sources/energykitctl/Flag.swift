/// What may be said with `--name` on the command line.
enum Flag: String, CaseIterable {
  // Where and as whom.
  case address
  case keyFile = "key-file"
  case adminKeyFile = "admin-key-file"
  case demo
  case tls
  case tlsCA = "tls-ca"
  case tlsCert = "tls-cert"
  case tlsKey = "tls-key"
  case serverName = "server-name"
  // How.
  case json
  case timeout
  case help
  case version
  // Of commands.
  case action
  case watch
  case explain
  case home
  case duration
  case from
  case to
  case split
  case venue
  case client
  case partial
  case batchSize = "batch-size"
  case id
  case name
  case entitlement
  case noEntitlements = "no-entitlements"
  case enable
  case disable
  case overlap
  case location
  case timeZone = "time-zone"
  case gridRegion = "grid-region"
  case locationServices = "location-services"
  case ratePlan = "rate-plan"
  case incorporateRatePlan = "incorporate-rate-plan"

  /// Those that every command takes.
  static let common: [Flag] = [
    .address, .keyFile, .adminKeyFile, .demo, .tls, .tlsCA, .tlsCert, .tlsKey, .serverName, .json, .timeout, .help,
    .version,
  ]

  /// What stands for the value in the help; `nil` for switches.
  var placeholder: String? {
    switch self {
    case .address: "ADDR"
    case .keyFile, .adminKeyFile, .demo, .tlsCA, .tlsCert, .tlsKey: "FILE"
    case .serverName, .name: "NAME"
    case .timeout: "S"
    case .action: "shift|reduce"
    case .home, .venue, .client, .id, .ratePlan: "ID"
    case .duration, .overlap: "TIME"
    case .from, .to: "WHEN"
    case .batchSize: "N"
    case .entitlement: "base|load-events|all"
    case .location: "LAT,LON"
    case .timeZone: "ZONE"
    case .gridRegion: "CODE"
    case .locationServices, .incorporateRatePlan: "on|off"
    case .tls, .json, .help, .version, .watch, .explain, .split, .partial, .noEntitlements, .enable, .disable: nil
    }
  }

  var isRepeatable: Bool { self == .entitlement }

  var help: String {
    switch self {
    case .address:
      "the server: 127.0.0.1:50051, host.example:443, [::1]:50051, unix:/path; tls+ before it: TLS "
        + "(ENERGYKIT_ADDRESS; default 127.0.0.1:50051)"
    case .keyFile: "the client's API key (ENERGYKIT_KEY_FILE; or the key itself in ENERGYKIT_API_KEY)"
    case .adminKeyFile: "the operator's key (ENERGYKIT_ADMIN_KEY_FILE; or the key itself in ENERGYKIT_ADMIN_KEY)"
    case .demo: "address and keys from the demo.json of energykitd --demo, where nothing else says them"
    case .tls: "speak TLS, as tls+ before the address"
    case .tlsCA: "who may have signed the server's certificate, PEM; TLS then (ENERGYKIT_TLS_CA; default: the system's)"
    case .tlsCert: "a certificate of your own, PEM, for servers that ask for one"
    case .tlsKey: "its key, PEM"
    case .serverName: "the name that the server's certificate must be for (default: the host of the address)"
    case .json: "print JSON, by protobuf's mapping, a line each"
    case .timeout: "give a call up after this many seconds (default 30)"
    case .help: "print the help, of a command where one is named, and exit"
    case .version: "print the version and exit"
    case .action: "how the load uses the guidance: shift moves in time, reduce uses less (default shift)"
    case .watch: "go on with each newer guidance, until interrupted"
    case .explain: "say why each value is rated as it is"
    case .home: "the id of the home in your own system, instead of the venue's"
    case .duration: "how long the load runs: 2h, 90m, 1h30m, 5400"
    case .from: "earliest start: now, 18:00 (the venue's time), 2026-11-30T18:00, or with a zone, 2026-11-30T18:00:00Z"
    case .to: "deadline, likewise (default: 24 hours after --from)"
    case .split: "the load may be interrupted: the best times, wherever they lie"
    case .venue: "the venue's id"
    case .client: "the client's id"
    case .partial: "store the good events of a batch that has bad ones"
    case .batchSize: "events in one call, 1 to 10000 (default 1000)"
    case .id: "its id, a UUID (default: the server makes one); with one, repeating the command is harmless"
    case .name: "its new name"
    case .entitlement: "what it may do; may be given again; replaces what it had"
    case .noEntitlements: "take all entitlements away"
    case .enable: "let its key work again"
    case .disable: "make its key useless; open streams end"
    case .overlap: "how long the old key works beside the new one: 24h, 30m (default: not at all)"
    case .location: "where it is, degrees north and east: 37.77,-122.42"
    case .timeZone: "IANA name, for example America/Los_Angeles (default: from the location)"
    case .gridRegion: "grid region, for example CISO (default: from the location)"
    case .locationServices: "off: the home has switched location services off, and gets no guidance"
    case .ratePlan: "the rate plan to link; empty: unlink"
    case .incorporateRatePlan: "whether the rate plan enters the ratings"
    }
  }
}

/// Bad usage: one clear line for standard error, exit code 2.
struct UsageError: Error, Equatable {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
