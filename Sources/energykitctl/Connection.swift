import EnergyWire
import GRPCTransport
import Glibc
import TLS

/// Where the server is, and the keys. Keys are read from files and the environment, never from the command line, where
/// every process of the machine could see them.
struct Connection {
  let target: ChannelTarget
  let tls: TLSClientSettings?
  let serverName: String?
  let clientKey: String?
  let operatorKey: String?
  let timeoutMilliseconds: UInt64

  private static let keyByteLimit = 64 << 10

  init(_ arguments: Arguments, environment: (String) -> String?) throws(Problem) {
    let demo = try arguments[.demo].map { path throws(Problem) in try DemoKeys(reading: path) }
    let address =
      arguments[.address] ?? demo?.address ?? environment("ENERGYKIT_ADDRESS") ?? "127.0.0.1:50051"
    let (isTLS, place) = Self.split(address)
    guard let target = ChannelTarget(place) else {
      throw .usage(UsageError("--address: expected host:port or unix:/path, not \"\(address)\""))
    }
    self.target = target
    do throws(UsageError) {
      timeoutMilliseconds = UInt64(try arguments.integer(.timeout, in: 1...86_400, default: 30)) * 1000
      guard arguments.isGiven(.tlsCert) == arguments.isGiven(.tlsKey) else {
        throw UsageError("--tls-cert and --tls-key belong together")
      }
    } catch {
      throw .usage(error)
    }
    let authorities = arguments[.tlsCA] ?? environment("ENERGYKIT_TLS_CA")
    let wantsTLS =
      isTLS || arguments.isGiven(.tls) || arguments.isGiven(.tlsCA) || arguments.isGiven(.tlsCert)
      || arguments.isGiven(.serverName)
    tls = wantsTLS ? try Self.settings(authorities, arguments) : nil
    serverName = arguments[.serverName]
    clientKey = try Self.key(
      file: arguments[.keyFile], demo: demo?.clientKey, value: environment("ENERGYKIT_API_KEY"),
      otherFile: environment("ENERGYKIT_KEY_FILE"))
    operatorKey = try Self.key(
      file: arguments[.adminKeyFile], demo: demo?.operatorKey, value: environment("ENERGYKIT_ADMIN_KEY"),
      otherFile: environment("ENERGYKIT_ADMIN_KEY_FILE"))
  }

  private static func split(_ address: String) -> (isTLS: Bool, place: String) {
    for prefix in ["tls+", "mtls+"] where address.hasPrefix(prefix) {
      return (true, String(address.dropFirst(prefix.count)))
    }
    return (false, address)
  }

  private static func settings(_ authorities: String?, _ arguments: Arguments) throws(Problem) -> TLSClientSettings {
    do throws(TLSError) {
      var settings = TLSClientSettings(
        authorities: try authorities.map { path throws(TLSError) in try PEMFile(reading: path) })
      if let chain = arguments[.tlsCert], let key = arguments[.tlsKey] {
        settings.identity = (try PEMFile(reading: chain), try PEMFile(reading: key))
      }
      return settings
    } catch {
      throw .local(error.description)
    }
  }

  // MARK: Keys

  /// What the command line says wins over the environment. A file that is named must be good, one that is not looked at
  /// is not read.
  private static func key(file: String?, demo: String?, value: String?, otherFile: String?) throws(Problem) -> String? {
    if let file { return try read(file) }
    if let demo { return demo }
    if let value { return try checked(value, "the key in the environment") }
    if let otherFile { return try read(otherFile) }
    return nil
  }

  private static func read(_ path: String) throws(Problem) -> String {
    let text = String(decoding: try SmallFile.read(path, byteLimit: keyByteLimit), as: UTF8.self)
    return try checked(String(text.prefix { !$0.isWhitespace }), path)
  }

  /// What could not come in a header is no key.
  private static func checked(_ key: String, _ place: String) throws(Problem) -> String {
    guard !key.isEmpty, key.utf8.count <= 512, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .local("\(place): holds no key")
    }
    return key
  }
}

/// What the demonstration tells its callers (docs/operating.md, The demonstration).
struct DemoKeys {
  let address: String?
  /// Of the first client, which has both entitlements.
  let clientKey: String?
  let operatorKey: String?

  init(reading path: String) throws(Problem) {
    var reader = JSONReader(try SmallFile.read(path, byteLimit: 1 << 20))
    do throws(JSONText.Fault) {
      guard let document = try reader.next() else { throw .init(line: 1, "is empty") }
      address = document.member("address")?.text
      operatorKey = document.member("admin_key")?.text
      guard case .array(let clients) = document.member("clients")?.content else {
        throw .init(line: 1, "is no demo.json of energykitd --demo")
      }
      clientKey = clients.first?.member("api_key")?.text
    } catch {
      throw Problem(error, in: path)
    }
  }
}

extension JSONText.Value {
  /// Of a string.
  var text: String? {
    guard case .string(let text) = content else { return nil }
    return text
  }
}
