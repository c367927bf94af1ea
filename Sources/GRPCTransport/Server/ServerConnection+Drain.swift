import HTTP2

/// The end of a connection without a lost call: two GOAWAYs with a PING between (G-100, G-101).
extension ServerConnection {
  /// Begins or goes on with the end of the connection (G-100).
  ///
  /// - Parameter reason: For the last GOAWAY, where this begins it.
  func drain(at now: UInt64, reason: StaticString = "") {
    guard !isLeaving else { return }
    switch drain {
    case .none:
      // Who has said nothing for a while has no call on the way. Who has just come may have sent one that was not read
      // yet; who has said something may not have answered our SETTINGS yet.
      guard hasSettings else {
        if now >= times.bornAt + Self.drainRoundTripMilliseconds { close() }
        return
      }
      drainReason = reason
      drain = .noticed(sinceMilliseconds: now)
      session.submitShutdownNotice()
      session.submitPing(Self.drainPing)
      markDirty()
    case .noticed(let since):
      if now >= lastGoAwayMilliseconds(noticed: since) { sendFinalGoAway() }
    case .final:
      break
    }
  }

  private func sendFinalGoAway() {
    drain = .final
    session.submitGoAway(reason: drainReason)
    markDirty()
  }

  private static let drainPing: UInt64 = 0x656E_6572_6779_6B74
  /// How long a client may take for the PING between the two GOAWAYs, where it holds nothing up by that or has a call open.
  private static let drainRoundTripMilliseconds: UInt64 = 500
  private static let drainRoundTripInCallsMilliseconds: UInt64 = 5_000

  /// When the last GOAWAY goes though the PING was not answered. What the client has sent by then and we have not read is
  /// not served, so a busy client, or a busy machine, gets time while the connection has to stay open anyway.
  func lastGoAwayMilliseconds(noticed: UInt64) -> UInt64 {
    noticed + (callCount > 0 ? Self.drainRoundTripInCallsMilliseconds : Self.drainRoundTripMilliseconds)
  }

  func drainPingAnswered(_ payload: UInt64) {
    guard payload == Self.drainPing, case .noticed = drain else { return }
    sendFinalGoAway()
  }

  var isDraining: Bool {
    switch drain {
    case .none: false
    case .noticed, .final: true
    }
  }
}
