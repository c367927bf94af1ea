/// Holds so much, and loses so much a second. To be within its measure costs an addition and a comparison.
struct LeakyBucket {
  let capacity: Int
  let perSecond: Int
  private var level = 0
  private var leakedAtMilliseconds: UInt64

  init(capacity: Int, perSecond: Int, now: UInt64) {
    self.capacity = capacity
    self.perSecond = perSecond
    leakedAtMilliseconds = now
  }

  /// Adds `amount`, which may be negative, and returns whether that is too much.
  mutating func pour(_ amount: Int, at now: UInt64) -> Bool {
    level = max(0, level + amount)
    guard level > capacity else { return false }
    let elapsed = min(now - min(now, leakedAtMilliseconds), 1_000_000)
    leakedAtMilliseconds = now
    level = max(0, level - Int(elapsed) * perSecond / 1_000)
    return level > capacity
  }
}
