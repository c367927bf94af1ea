import GRPC
import HTTP2
import NetworkIO
import TLS

/// One attempt of a channel to connect: its target's addresses in turn, until the server of one has sent its SETTINGS.
final class ConnectionAttempt {
  private enum Step {
    case lookingUp
    case connecting(TCPStream)
    case awaitingSettings(ClientConnection)
    case over
  }

  let startMilliseconds: UInt64
  private let channel: ClientChannel
  private var step = Step.lookingUp
  private var addresses: [SocketAddress] = []
  private var place = 0
  private var timer: (any ChannelTimer)?
  private var lastFailure = Status(.unavailable, "there is no address")

  init(_ channel: ClientChannel) {
    self.channel = channel
    startMilliseconds = channel.now
  }

  func start() {
    timer = channel.makeTimer { [weak self] in self?.timePassed() }
    switch channel.configuration.target.place {
    case .addresses(let addresses): connect(addresses)
    case .name(let host, let port): lookUp(host, port)
    }
  }

  private func lookUp(_ host: String, _ port: UInt16) {
    timer?.start(afterMilliseconds: channel.configuration.connectMilliseconds)
    NameLookup.addresses(of: host, port: port, loop: channel.loop) { [self] result in
      guard case .lookingUp = step else { return }
      switch result {
      case .success(let found): connect(found)
      case .failure(let error): giveUp(Status(.unavailable, "\(host) cannot be looked up: \(error)"))
      }
    }
  }

  private func connect(_ addresses: [SocketAddress]) {
    self.addresses = addresses
    tryNext()
  }

  private func tryNext() {
    guard place < addresses.count else { return giveUp(lastFailure) }
    let address = addresses[place]
    place += 1
    let number = place
    timer?.start(afterMilliseconds: channel.configuration.connectMilliseconds)
    let socket = TCPStream.startConnecting(loop: channel.loop, to: address) { [self] result in
      if case .connecting = step, number == place { return connected(result, address) }
      // Given up meanwhile.
      if case .success(let late) = result { late.close() }
    }
    step = .connecting(socket)
  }

  private func connected(_ result: Result<TCPStream, NetworkError>, _ address: SocketAddress) {
    switch result {
    case .success(let socket):
      do {
        let connection = try ClientConnection(
          channel: channel, socket: socket, address: address, tls: try makeTLS(), attempt: self)
        step = .awaitingSettings(connection)
        return connection.start()
      } catch {
        socket.close()
        lastFailure = Status(.unavailable, "\(address): \(error)")
      }
    case .failure(let error):
      lastFailure = Status(.unavailable, "\(address): \(error)")
    }
    tryNext()
  }

  /// - Throws: also where there is nothing that the server's certificate could be held against.
  private func makeTLS() throws(TLSError) -> TLSSession? {
    guard let security = channel.configuration.security else { return nil }
    guard let name = security.serverName ?? channel.configuration.target.host else {
      throw .failed("there is no name that the server's certificate could be for")
    }
    return try TLSSession(security.context, serverName: name, buffers: channel.tlsBuffers)
  }

  private func timePassed() {
    let text = "no answer within \(channel.configuration.connectMilliseconds) ms"
    switch step {
    case .lookingUp: giveUp(Status(.unavailable, "the name server: \(text)"))
    case .connecting(let socket):
      lastFailure = Status(.unavailable, "\(addresses[place - 1]): \(text)")
      socket.close()
      tryNext()
    case .awaitingSettings(let connection): connection.fail(text)
    case .over: break
    }
  }

  // MARK: - What the connection says

  func succeeded(_ connection: ClientConnection) {
    finish()
    channel.attemptSucceeded(connection)
  }

  func failed(_ connection: ClientConnection, _ status: Status) {
    guard case .awaitingSettings(let present) = step, present === connection else { return }
    lastFailure = status
    tryNext()
  }

  // MARK: - End

  /// Gives up without telling the channel.
  func cancel() {
    let step = step
    finish()
    switch step {
    case .lookingUp, .over: break
    case .connecting(let socket): socket.close()
    case .awaitingSettings(let connection): connection.fail("the channel is shut down")
    }
  }

  private func giveUp(_ status: Status) {
    finish()
    channel.attemptFailed(self, Status(status.code, "cannot connect: \(status.message)"))
  }

  private func finish() {
    step = .over
    timer?.close()
    timer = nil
  }
}
