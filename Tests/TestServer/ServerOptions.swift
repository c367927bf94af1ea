internal import GRPC
package import GRPCTransport
internal import TLS

/// The arguments of a server that only tests start; those about listeners and connections are energykitd's.
package struct ServerOptions {
  package struct Fault: Error {
    package let message: String
  }

  package var listeners: [GRPCServer.Configuration.Listener] = []
  var certificates: ServerCertificates?
  package var loopCount = 2
  package var drainSeconds: UInt64 = 10
  package var connections = ConnectionOptions()

  private let program: String

  /// - Throws: a line for standard error.
  package init(_ arguments: [String], of program: String) throws(Fault) {
    self.program = program
    var values = try Self.values(arguments, Self.usage(of: program))
    for (flag, all) in values where flag != "--listen" && connections.take(flag, all[0]) { values[flag] = nil }
    guard Self.flags.isSuperset(of: values.keys) else { throw usage }
    loopCount = try number(values["--loops"]?.last ?? "2", in: 1...64)
    drainSeconds = UInt64(try number(values["--drain-seconds"]?.last ?? "10", in: 0...3_600))
    certificates = try readCertificates(values)
    if let origins = try? WebOrigins(values["--web-origin"] ?? []) { connections.policy.webOrigins = origins }
    guard let mode = UInt32(values["--unix-socket-mode"]?.last ?? "660", radix: 8), mode <= 0o777 else { throw usage }
    for text in try addresses(values) {
      guard let listen = ListenAddress(text) else { throw usage }
      listeners.append(
        .init(
          address: listen.address, security: try security(listen, values), allowsAdmin: listen.saysAdmin,
          fileMode: mode))
    }
  }

  /// `--port N` is short for an address of the loopback.
  private func addresses(_ values: [String: [String]]) throws(Fault) -> [String] {
    guard let port = values["--port"]?.last else { return values["--listen"] ?? ["127.0.0.1:0"] }
    return ["127.0.0.1:\(try number(port, in: 0...65_535))"] + (values["--listen"] ?? [])
  }

  private func security(
    _ listen: ListenAddress, _ values: [String: [String]]
  ) throws(Fault) -> ListenerSecurity {
    switch (listen.security, certificates) {
    case (.clear, _): return .clear
    case (.tls, .some(let certificates)): return .tls(certificates)
    case (.mutualTLS, .some(let certificates)) where values["--tls-client-ca"] != nil: return .mutualTLS(certificates)
    case (.tls, _), (.mutualTLS, _): throw usage
    }
  }

  private func readCertificates(_ values: [String: [String]]) throws(Fault) -> ServerCertificates? {
    guard let chain = values["--tls-cert"]?.last, let key = values["--tls-key"]?.last else { return nil }
    do throws(TLSError) {
      return try ServerCertificates(chainPath: chain, keyPath: key, authoritiesPath: values["--tls-client-ca"]?.last)
    } catch {
      throw Fault(message: "\(program): \(error)")
    }
  }

  private static let flags: Set = [
    "--port", "--listen", "--unix-socket-mode", "--tls-cert", "--tls-key", "--tls-client-ca", "--loops",
    "--drain-seconds", "--web-origin",
  ]

  private var usage: Fault { Self.usage(of: program) }

  private static func usage(of program: String) -> Fault {
    Fault(
      message: "usage: \(program) [--port N] [--listen ADDR]... [--unix-socket-mode MODE] "
        + "[--tls-cert F --tls-key F [--tls-client-ca F]] [--loops N] [--drain-seconds S] [--web-origin ORIGIN]..., "
        + "and the flags of ConnectionOptions")
  }

  private static func values(_ arguments: [String], _ usage: Fault) throws(Fault) -> [String: [String]] {
    var values: [String: [String]] = [:]
    var rest = arguments[...]
    while let flag = rest.popFirst() {
      guard let value = rest.popFirst() else { throw usage }
      values[flag, default: []].append(value)
    }
    return values
  }

  private func number(_ text: String, in range: ClosedRange<Int>) throws(Fault) -> Int {
    guard let number = Int(text), range.contains(number) else { throw usage }
    return number
  }
}
