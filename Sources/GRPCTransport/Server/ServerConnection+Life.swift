import GRPC
import HTTP2

/// What time does to a connection (G-004, G-105...107, G-152). The loop visits each now and then, and when something is
/// due; nothing of this costs a timer of its own, or anything while bytes come and go.
extension ServerConnection {
  /// How many times longer a connection without calls may be silent.
  private static let silenceWithoutCalls: UInt64 = 30
  /// What a client gets to read the last frames.
  static let lastWordsMilliseconds: UInt64 = 500

  private var policy: ConnectionPolicy { home.policy }

  func visit(at now: UInt64) {
    guard !isClosed else { return }
    times.visitAt = .max
    if now >= times.closeAt { return close() }
    if !isLeaving { attend(at: now) }
    guard !isClosed else { return }
    planVisit(after: now)
  }

  func planVisit(after now: UInt64) {
    haveVisited(at: nextVisit(after: now))
  }

  /// Whether it has had time to send its preface and SETTINGS, and has not (G-151).
  func isReluctant(at now: UInt64) -> Bool {
    !isEstablished && !isClosed && now >= times.bornAt + Self.reluctanceMilliseconds
  }

  private static let reluctanceMilliseconds: UInt64 = 1_000

  private func attend(at now: UInt64) {
    if now >= times.headerBlockBefore {
      times.headerBlockBefore = .max
      // Unless its stream was reset meanwhile.
      if session.isWithinHeaderBlock { return leave(.enhanceYourCalm, "header_block_too_slow") }
    }
    endAge(at: now)
    endIdleness(at: now)
    giveUpSlowRequests(at: now)
    keepAlive(at: now)
  }

  private func nextVisit(after now: UInt64) -> UInt64 {
    guard !isLeaving else { return times.closeAt }
    var next = min(times.closeAt, times.headerBlockBefore, times.graceEnd)
    next = min(next, ConnectionTimes.later(now, home.patrolMilliseconds), silenceEnd)
    switch drain {
    case .none: next = min(next, times.drainAt)
    case .noticed(let since): next = min(next, lastGoAwayMilliseconds(noticed: since))
    case .final: break
    }
    if let idle = policy.maximumIdle, callCount == 0, isEstablished, !isDraining {
      next = min(next, ConnectionTimes.later(times.lastCall, idle))
    }
    return next
  }

  // MARK: - Age and idleness

  private func endAge(at now: UInt64) {
    switch drain {
    case .none:
      if now >= times.drainAt { beginDrain("max_age", at: now) }
    case .noticed, .final:
      drain(at: now)
      guard now >= times.graceEnd else { return }
      times.graceEnd = .max
      for call in calls { call.finish(Status(.unavailable, "the connection has come to the end of its time")) }
      times.closeAt = min(times.closeAt, now + Self.lastWordsMilliseconds)
    }
  }

  private func endIdleness(at now: UInt64) {
    guard let idle = policy.maximumIdle, callCount == 0, isEstablished, !isDraining,
      now >= ConnectionTimes.later(times.lastCall, idle)
    else { return }
    beginDrain("max_idle", at: now)
  }

  private func beginDrain(_ reason: StaticString, at now: UInt64) {
    times.graceEnd = ConnectionTimes.later(now, policy.maximumAgeGrace)
    drain(at: now, reason: reason)
  }

  // MARK: - Silence

  private var silenceEnd: UInt64 {
    if times.pingedAt != .max { return ConnectionTimes.later(times.pingedAt, policy.keepaliveTimeout) }
    let factor = callCount > 0 ? 1 : Self.silenceWithoutCalls
    let (silence, overflows) = policy.keepaliveTime.multipliedReportingOverflow(by: factor)
    return overflows ? .max : ConnectionTimes.later(times.lastSign, silence)
  }

  private func keepAlive(at now: UInt64) {
    guard now >= silenceEnd else { return }
    if times.pingedAt != .max { return close() }
    times.pingedAt = now
    session.submitPing(Self.keepalivePing)
    markDirty()
  }

  private static let keepalivePing: UInt64 = 0x6B65_6570_616C_6976

  // MARK: - Slow requests

  private func giveUpSlowRequests(at now: UInt64) {
    guard now >= times.lastPatrol + policy.requestIdle / 2 else { return }
    times.lastPatrol = now
    guard callCount > 0 else { return }
    for call in calls where call.standsStill() {
      call.finish(Status(.deadlineExceeded, "the request has stood still for too long"))
    }
  }
}

extension ServerStream {
  /// Asked twice for every time that a request may stand still; says that this one has done so all the while.
  fileprivate func standsStill() -> Bool {
    guard !hasEnded, expectsRequest, !flags.contains(.requestEnded) else { return false }
    stillness += 1
    return stillness > 2
  }

  /// Whether one message is expected and has to come without long pauses; streams of requests may be silent.
  private var expectsRequest: Bool {
    switch phase {
    case .oneRequest, .admitting(.oneRequest): true
    case .admitting(.manyRequests), .consuming, .served: false
    }
  }
}
