package import EnergyModel
internal import EnergyWire
internal import GRPC
internal import Locking

/// Takes what the guidance engine issues to every event loop. The engine's thread encodes once; each loop does its own
/// subscribers.
package final class GuidanceFanOut: Sendable {
  private let loops = Lock<[Home]>([])

  package init() {}

  /// Called on the loop itself, once, before it serves.
  package func register(_ loop: EnergyLoop) {
    let home = Home(executor: loop.executor, feeds: loop.feeds)
    loops.withLock { $0.append(home) }
  }

  /// A new revision, from the engine's thread; in the order of the calls.
  package func publish(_ revision: GuidanceRevision) {
    let publication = GuidancePublication(revision)
    for home in loops.withLock({ $0 }) {
      home.executor.execute { home.feeds.publish(publication) }
    }
  }

  /// A series has run out of guidance: its streams end (docs/architecture.md, Guidance).
  package func finish(_ series: GuidanceSeries) {
    for home in loops.withLock({ $0 }) {
      home.executor.execute { home.feeds.finish(series) }
    }
  }

  /// Streams on this node that follow one of these series; counted after everything that was published before.
  package func subscriberCount(of series: Set<GuidanceSeries>) async -> Int {
    var count = 0
    for home in loops.withLock({ $0 }) {
      count += await withCheckedContinuation { continuation in
        home.executor.execute { continuation.resume(returning: home.feeds.subscriberCount(of: series)) }
      }
    }
    return count
  }

  /// `@unchecked Sendable`: `feeds` is touched on `executor` only.
  private struct Home: @unchecked Sendable {
    let executor: any CallExecutor
    let feeds: GuidanceFeeds
  }
}
