import GRPC
import GRPCTransport
import NetworkIO
import TLS

/// `grpc-echo-client TARGET [--tls-ca F [--tls-cert F --tls-key F] [--server-name NAME]] [--attempts N]`
struct EchoClientOptions {
  struct Fault: Error {
    let message: String
  }

  private let target: ChannelTarget
  private let values: [String: String]
  private let security: ClientConfiguration.Security?

  init(_ arguments: [String]) throws {
    guard let first = arguments.first, let target = ChannelTarget(first), arguments.count % 2 == 1 else {
      throw Fault(message: "usage: grpc-echo-client TARGET [--FLAG VALUE]...")
    }
    self.target = target
    var values: [String: String] = [:]
    for index in stride(from: 1, to: arguments.count, by: 2) { values[arguments[index]] = arguments[index + 1] }
    self.values = values
    guard let authorities = values["--tls-ca"] else {
      security = nil
      return
    }
    var settings = TLSClientSettings(authorities: try PEMFile(reading: authorities))
    if let chain = values["--tls-cert"], let key = values["--tls-key"] {
      settings.identity = (try PEMFile(reading: chain), try PEMFile(reading: key))
    }
    security = .init(context: try TLSContext(settings), serverName: values["--server-name"])
  }

  func configuration(on loop: EventLoop) -> ClientConfiguration {
    var configuration = ClientConfiguration(target: target, loop: loop)
    configuration.security = security
    configuration.backoff.initialMilliseconds = 50
    configuration.maximumResponseByteCount = 32 << 20
    if let attempts = values["--attempts"].flatMap({ Int($0) }) {
      configuration.retryPolicy = RetryPolicy(maximumAttemptCount: max(1, attempts), initialBackoffMilliseconds: 10)
    }
    return configuration
  }
}
