import GRPCTransport
import TLS

/// `grpc-echo-server`'s arguments; those about connections are energykitd's.
struct EchoOptions {
  static let usage =
    "grpc-echo-server [--listen ADDR]... [--unix-socket-mode MODE] [--tls-cert F --tls-key F [--tls-client-ca F]] "
    + "[--loops N] [--drain-seconds S], and the flags of ConnectionOptions"

  struct Fault: Error {
    let message: String
  }

  var listeners: [GRPCServer.Configuration.Listener] = []
  var certificates: ServerCertificates?
  var loopCount = 2
  var drainSeconds: UInt64 = 10
  var connections = ConnectionOptions()

  init(_ arguments: [String]) throws(Fault) {
    var values = try Self.values(arguments)
    for (flag, all) in values where flag != "--listen" && connections.take(flag, all[0]) { values[flag] = nil }
    guard Self.flags.isSuperset(of: values.keys) else { throw Fault(message: "usage: \(Self.usage)") }
    loopCount = try Self.number(values["--loops"]?.last ?? "2", in: 1...64)
    drainSeconds = UInt64(try Self.number(values["--drain-seconds"]?.last ?? "10", in: 0...3_600))
    certificates = try Self.certificates(values)
    let mode = UInt32(values["--unix-socket-mode"]?.last ?? "660", radix: 8)
    for text in values["--listen"] ?? ["127.0.0.1:0"] {
      guard let listen = ListenAddress(text), let mode, mode <= 0o777 else {
        throw Fault(message: "usage: \(Self.usage)")
      }
      listeners.append(
        .init(
          address: listen.address, security: try Self.security(listen, certificates, values),
          allowsAdmin: listen.saysAdmin, fileMode: mode))
    }
  }

  private static func security(
    _ listen: ListenAddress, _ certificates: ServerCertificates?, _ values: [String: [String]]
  ) throws(Fault) -> ListenerSecurity {
    switch (listen.security, certificates) {
    case (.clear, _): return .clear
    case (.tls, .some(let certificates)): return .tls(certificates)
    case (.mutualTLS, .some(let certificates)) where values["--tls-client-ca"] != nil: return .mutualTLS(certificates)
    case (.tls, _), (.mutualTLS, _): throw Fault(message: "usage: \(usage)")
    }
  }

  private static func certificates(_ values: [String: [String]]) throws(Fault) -> ServerCertificates? {
    guard let chain = values["--tls-cert"]?.last, let key = values["--tls-key"]?.last else { return nil }
    do throws(TLSError) {
      return try ServerCertificates(chainPath: chain, keyPath: key, authoritiesPath: values["--tls-client-ca"]?.last)
    } catch {
      throw Fault(message: "grpc-echo-server: \(error)")
    }
  }

  private static let flags: Set = [
    "--listen", "--unix-socket-mode", "--tls-cert", "--tls-key", "--tls-client-ca", "--loops", "--drain-seconds",
  ]

  private static func values(_ arguments: [String]) throws(Fault) -> [String: [String]] {
    var values: [String: [String]] = [:]
    var rest = arguments[...]
    while let flag = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Fault(message: "usage: \(usage)") }
      values[flag, default: []].append(value)
    }
    return values
  }

  private static func number(_ text: String, in range: ClosedRange<Int>) throws(Fault) -> Int {
    guard let number = Int(text), range.contains(number) else { throw Fault(message: "usage: \(usage)") }
    return number
  }
}
