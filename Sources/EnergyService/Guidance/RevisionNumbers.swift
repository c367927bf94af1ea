import EnergyModel

/// Gives each revision of this node its issue time, in whole seconds, and number; never the same pair twice
/// (docs/architecture.md, Guidance token).
struct RevisionNumbers {
  /// A stored revision that is further ahead was made under a wrong clock: its tokens would not verify.
  static let maximumLeadSeconds: Int64 = GuidanceTokenCodec.maximumLeadMilliseconds / 1000

  private var last: (second: Int64, number: UInt16)?

  /// Later pairs come after this one, which the store holds.
  mutating func skip(_ revision: GuidanceRevision, now: Timestamp) {
    guard revision.issueTime.seconds <= now.seconds + Self.maximumLeadSeconds else { return }
    let stored = (second: revision.issueTime.seconds, number: revision.number)
    if last.map({ $0 < stored }) ?? true { last = stored }
  }

  /// The next pair: now where that is after the last one, else as little after the last one as can be.
  mutating func next(now: Timestamp) -> (issueTime: Timestamp, number: UInt16) {
    let following = following(now.seconds)
    last = following
    return (Timestamp(seconds: following.second), following.number)
  }

  private func following(_ second: Int64) -> (second: Int64, number: UInt16) {
    guard let last, last.second >= second else { return (second, 0) }
    return last.number < .max ? (last.second, last.number + 1) : (last.second + 1, 0)
  }
}
