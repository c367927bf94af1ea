import Diagnostics
import GRPC
import GRPCTransport
import NetworkIO

/// What the operator asked for, checked as far as it can be without touching anything.
struct Configuration {
  enum Store: Equatable {
    case directory(String)
    case memory
  }

  let listeners: [GRPCServer.Configuration.Listener]
  let store: Store
  /// Where demo.json and admin.key go; `nil` where nothing is kept.
  let dataDirectory: String?
  let isDemo: Bool
  let gridFiles: [String]
  let clockOffsetSeconds: Int
  let adminKeyFile: String?
  let loopCount: Int
  let guidanceMinIntervalSeconds: Int
  let hasLenientSessionRules: Bool
  let drainSeconds: Int
  let logLevel: Log.Level
  let logFormat: Log.Format

  init(_ values: SettingValues, coreCount: Int) throws(UsageError) {
    listeners = try Self.listeners(values)
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
    hasLenientSessionRules = try values.choice(.sessionRules, ["strict": false, "lenient": true], default: "strict")
    drainSeconds = try values.integer(.drainSeconds, in: 0...3_600, default: 10)
    logLevel = try Self.logLevel(values)
    logFormat = try values.choice(.logFormat, ["text": .text, "json": .json], default: "text")
  }

  static func logLevel(_ values: SettingValues) throws(UsageError) -> Log.Level {
    try values.choice(
      .logLevel, ["debug": .debug, "info": .info, "notice": .notice, "warning": .warning, "error": .error],
      default: "info")
  }

  private static func store(_ values: SettingValues) throws(UsageError) -> Store {
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

  private static func listeners(
    _ values: SettingValues
  ) throws(UsageError) -> [GRPCServer.Configuration.Listener] {
    let texts = values.all(.listen)
    let fileMode = try values.fileMode(.unixSocketMode, default: "660")
    var result: [GRPCServer.Configuration.Listener] = []
    for text in texts.isEmpty ? ["127.0.0.1:50051"] : texts {
      guard let listen = ListenAddress(text) else {
        throw UsageError(
          "--listen \(text): expected ADDRESS:PORT or unix:/PATH, for example 127.0.0.1:50051 or [::1]:50051")
      }
      result.append(
        .init(
          address: listen.address, allowsAdmin: listen.saysAdmin || listen.address.isLoopback, fileMode: fileMode))
    }
    return result
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
