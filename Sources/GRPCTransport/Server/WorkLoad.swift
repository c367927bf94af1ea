import GRPC
import Synchronization

/// Calls at work on one loop: those that have come and have not ended, but for methods whose calls wait for the world
/// (G-079). Written on the loop; `total` is read by others.
final class WorkLoad: Sendable {
  let total = Atomic(0)
}

/// How much may be at work at once.
struct WorkLimit {
  private let own: WorkLoad
  private let all: [WorkLoad]
  private let limit: Int
  /// While a loop has no more than this, the server cannot have more than `limit`.
  private let share: Int

  init(_ index: Int, of all: [WorkLoad], limit: Int) {
    own = all[index]
    self.all = all
    self.limit = limit
    share = limit / all.count
  }

  /// The share of a loop in a limit for the server.
  func ownShare(of limit: Int) -> Int { (limit + all.count - 1) / all.count }

  var isReached: Bool {
    guard own.total.load(ordering: .relaxed) >= share else { return false }
    return all.reduce(0) { $0 + $1.total.load(ordering: .relaxed) } >= limit
  }

  /// On the loop, which alone writes: no other is between the load and the store.
  func add(_ count: Int) {
    own.total.store(own.total.load(ordering: .relaxed) + count, ordering: .relaxed)
  }
}

extension Status {
  /// Refused before any work, to be tried again: after a second, give or take half of it, so that not all come back
  /// together.
  static func overloaded(_ what: StaticString) -> Status {
    let pushback = Int.random(in: 500...1_500)
    return Status(
      .unavailable, "too many calls are at work: \(what)",
      trailers: Metadata([.init(name: "grpc-retry-pushback-ms", value: Array("\(pushback)".utf8))]))
  }
}
