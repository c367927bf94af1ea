import Diagnostics
import GRPCTransport
import Glibc

/// From the command line to an exit code (docs/operating.md).
enum Program {
  static let version = "0.1.0"

  private enum ExitCode {
    static let signal: CInt = 0
    static let failure: CInt = 1
    static let usage: CInt = 2
  }

  @concurrent static func run() async -> CInt {
    do throws(UsageError) {
      let values = try SettingValues(
        arguments: CommandLine.arguments, environment: environment(), readFile: { try? SecretFile.read($0) })
      if values[.help] != nil { return say(Setting.helpText) }
      if values[.version] != nil { return say("energykitd \(version)") }
      let configuration = try Configuration(values, coreCount: coreCount)
      return await serve(configuration, try configuration.readCertificates())
    } catch {
      complain(error.message)
      return ExitCode.usage
    }
  }

  private static func serve(_ configuration: Configuration, _ certificates: ServerCertificates?) async -> CInt {
    let log = Log(level: configuration.logLevel, format: configuration.logFormat)
    do throws(StartError) {
      let daemon = try await Daemon.start(configuration, certificates, log: log)
      await daemon.serveUntilSignal()
      return ExitCode.signal
    } catch {
      complain(error.message)
      return ExitCode.failure
    }
  }

  /// The log level as the configuration says now; `nil` where it cannot be read any more.
  static func currentLogLevel() -> Log.Level? {
    guard
      let values = try? SettingValues(
        arguments: CommandLine.arguments, environment: environment(), readFile: { try? SecretFile.read($0) })
    else { return nil }
    return try? Configuration.logLevel(values)
  }

  private static func say(_ text: String) -> CInt {
    print(text)
    return ExitCode.signal
  }

  private static func complain(_ message: String) {
    let line = Array("energykitd: \(message.split(separator: "\n").joined(separator: " "))\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private static var coreCount: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }

  private static func environment() -> [String: String] {
    var variables: [String: String] = [:]
    for setting in Setting.allCases {
      guard let value = getenv(setting.environmentName) else { continue }
      variables[setting.environmentName] = String(cString: value)
    }
    return variables
  }
}
