import HTTP2
import NetworkIO

/// What a client may ask of the loop, so that others get their share (G-140...156).
extension ServerConnection {
  /// Octets and frames of one turn; libuv alone would take 2 MiB.
  private static let octetsPerTurn = 256 << 10
  private static let framesPerTurn = 1_000
  /// For a client whose frames are so small that a whole read would hold thousands.
  private static let smallReadByteCount = 16 << 10
  private static let smallFrameByteCount = 32
  /// What is read and dropped of a client that was told to leave.
  private static let discardedByteLimit = 1 << 20

  /// After a read, with the bytes that it had room for.
  func inspect(_ byteCount: Int, room: Int, at now: UInt64) {
    let counts = session.counts
    let frames = counts.overhead + counts.useful - framesSeen
    framesSeen += frames
    conduct.judge(counts, at: now)
    if let offence = conduct.offence { return leave(.enhanceYourCalm, offence.reason) }
    watchHeaderBlock(at: now)
    let hasSmallFrames = byteCount >= Self.smallReadByteCount && byteCount < frames * Self.smallFrameByteCount
    socket.readLimit = hasSmallFrames ? Self.smallReadByteCount : EventLoop.readByteCount
    guard byteCount == room else {
      turnByteCount = 0
      turnFrameCount = 0
      return
    }
    turnByteCount += byteCount
    turnFrameCount += frames
    if turnByteCount >= Self.octetsPerTurn || turnFrameCount >= Self.framesPerTurn { pause() }
  }

  private func watchHeaderBlock(at now: UInt64) {
    guard session.isWithinHeaderBlock else {
      times.headerBlockBefore = .max
      return
    }
    guard times.headerBlockBefore == .max else { return }
    times.headerBlockBefore = ConnectionTimes.later(now, home.policy.headerBlock)
    hasten(to: times.headerBlockBefore)
  }

  /// Leaves the rest to the next turn.
  private func pause() {
    turnByteCount = 0
    turnFrameCount = 0
    isPaused = true
    updateReading()
    home.resumeAtTurnEnd(self)
  }

  func resume() {
    isPaused = false
    updateReading()
  }

  /// Bytes of a client that was told to leave.
  func discard(_ byteCount: Int) {
    discardedByteCount += byteCount
    if discardedByteCount > Self.discardedByteLimit { close() }
  }
}
