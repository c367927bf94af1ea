import HTTP2

/// Judges what a client sends besides its calls (G-108, G-144...156), by numbers that the session counts.
struct ClientConduct {
  /// What a client is told that goes too far, as debug data of GOAWAY ENHANCE_YOUR_CALM.
  enum Offence {
    case pings
    case frames
    case emptyFrames
    case faults
    case resets

    var reason: StaticString {
      switch self {
      case .pings: "too_many_pings"
      case .frames: "too_many_frames"
      case .emptyFrames: "too_many_empty_frames"
      case .faults: "too_many_faults"
      case .resets: "too_many_resets"
      }
    }
  }

  /// Frames that a call explains on average: two WINDOW_UPDATEs and a PING for every DATA, say.
  private static let explainedFrames = 4
  /// PINGs too early before the one that is too many (gRFC A8).
  private static let forgivenPings = 2
  private static let forgivenEmptyFrames = 100

  private var frames: LeakyBucket
  private var faults: LeakyBucket
  private var resets: LeakyBucket
  private var seen = FrameCounts()
  private var earlyPings = 0
  private var lastPingMilliseconds: UInt64 = 0
  private var sentAtLastPing = -1
  private(set) var offence: Offence?

  init(now: UInt64) {
    frames = LeakyBucket(capacity: 10_000, perSecond: 1_000, now: now)
    resets = LeakyBucket(capacity: 2_000, perSecond: 200, now: now)
    faults = LeakyBucket(capacity: 100, perSecond: 10, now: now)
  }

  /// Looks at what came and went since the last look.
  mutating func judge(_ counts: FrameCounts, at now: UInt64) {
    guard counts != seen else { return }
    let idle = (counts.overhead - seen.overhead) - Self.explainedFrames * (counts.useful - seen.useful)
    if frames.pour(idle, at: now) { offence = .frames }
    if counts.faults > seen.faults, faults.pour(counts.faults - seen.faults, at: now) { offence = .faults }
    if counts.emptyData > Self.forgivenEmptyFrames { offence = .emptyFrames }
    seen = counts
  }

  /// Takes the cancellation of a call after `age` milliseconds: one that had hardly begun is work for nothing (G-140).
  /// Clients that cancel what has run for a while do so in large numbers, too, and honestly.
  mutating func cancelled(age: UInt32, at now: UInt64) {
    guard age < Self.hurryMilliseconds, resets.pour(1, at: now) else { return }
    offence = .resets
  }

  private static let hurryMilliseconds: UInt32 = 50

  /// Takes a PING. What has left in between, frame by frame, resets the count (G-108): a client that gets something may
  /// measure the way there.
  mutating func pinged(_ counts: FrameCounts, at now: UInt64, interval: UInt64) {
    defer { lastPingMilliseconds = now }
    guard counts.sent == sentAtLastPing else {
      sentAtLastPing = counts.sent
      earlyPings = 0
      return
    }
    guard now < lastPingMilliseconds + interval else { return }
    earlyPings += 1
    if earlyPings > Self.forgivenPings { offence = .pings }
  }
}
