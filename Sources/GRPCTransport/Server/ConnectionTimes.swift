/// The moments that decide how long a connection lives, in milliseconds of its loop's clock; the largest number stands for
/// never.
struct ConnectionTimes {
  let bornAt: UInt64
  /// When it is closed without further words: not established by then, or nothing is expected of it any more.
  var closeAt: UInt64
  /// When it is drained since it is old enough (G-105).
  let drainAt: UInt64
  /// What calls have left of the grace after that.
  var graceEnd = UInt64.max
  /// Something came from the client, or something that waited has left.
  var lastSign: UInt64
  /// A call was open.
  var lastCall: UInt64
  /// The header block that is coming in has to be there in whole.
  var headerBlockBefore = UInt64.max
  /// A PING of ours went out that has not been answered.
  var pingedAt = UInt64.max
  /// Requests were looked at that stand still.
  var lastPatrol: UInt64
  /// When the loop looks at the connection next.
  var visitAt = UInt64.max

  init(now: UInt64, establishment: UInt64, age: UInt64?) {
    bornAt = now
    closeAt = Self.later(now, establishment)
    // Spread, so that clients that came together do not all come back together.
    drainAt = age.map { Self.later(now, $0 - $0 / 10 + UInt64.random(in: 0...($0 / 5))) } ?? .max
    lastSign = now
    lastCall = now
    lastPatrol = now
  }

  static func later(_ moment: UInt64, _ milliseconds: UInt64) -> UInt64 {
    let (sum, overflows) = moment.addingReportingOverflow(milliseconds)
    return overflows ? .max : sum
  }
}
