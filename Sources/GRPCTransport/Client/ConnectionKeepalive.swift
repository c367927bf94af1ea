import NetworkIO

/// Finds out whether the server is still there (gRFC A8). Belongs to its connection.
final class ConnectionKeepalive {
  private enum State {
    /// Since when nothing has been read.
    case watching
    /// A PING is on its way since then.
    case asking(sinceMilliseconds: UInt64)
    /// There are no calls, and none may be asked for.
    case dormant
    case closed
  }

  private unowned let connection: ClientConnection
  private let settings: ClientConfiguration.Keepalive
  private var state = State.watching
  private var lastReadMilliseconds: UInt64
  private var timer: (any ChannelTimer)?

  init(_ connection: ClientConnection, _ settings: ClientConfiguration.Keepalive) {
    self.connection = connection
    self.settings = settings
    lastReadMilliseconds = connection.channel.now
    let timer = connection.channel.makeTimer { [unowned self] in fired() }
    self.timer = timer
    timer.start(afterMilliseconds: settings.timeMilliseconds)
  }

  func close() {
    state = .closed
    timer?.close()
    timer = nil
  }

  func didRead() {
    lastReadMilliseconds = connection.channel.now
  }

  func callStarted() {
    switch state {
    case .watching, .asking, .closed: return
    case .dormant: state = .watching
    }
    watch()
  }

  /// Until the server has been silent for long enough.
  private func watch() {
    let silence = connection.channel.now - lastReadMilliseconds
    timer?.start(afterMilliseconds: settings.timeMilliseconds - min(silence, settings.timeMilliseconds))
  }

  private func fired() {
    let now = connection.channel.now
    switch state {
    case .watching:
      if now - lastReadMilliseconds < settings.timeMilliseconds {
        watch()
      } else if connection.callCount == 0, !settings.isPermittedWithoutCalls {
        state = .dormant
      } else {
        state = .asking(sinceMilliseconds: now)
        connection.sendPing()
        timer?.start(afterMilliseconds: settings.timeoutMilliseconds)
      }
    case .asking(let since):
      guard lastReadMilliseconds < since else {
        state = .watching
        return watch()
      }
      connection.fail("no answer to a PING for \(settings.timeoutMilliseconds) ms")
    case .dormant, .closed: break
    }
  }
}
