package import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import FoundationEssentials
internal import GRPC

/// The newest guidance of each series on one loop, encoded, and who is subscribed to it (docs/architecture.md,
/// Fan-out).
package final class GuidanceFeeds {
  private let tokens: GuidanceTokenCodec
  private let makeBroadcast: () -> any Broadcast
  private var feeds: [GuidanceSeries: GuidanceFeed] = [:]

  init(tokens: GuidanceTokenCodec, makeBroadcast: @escaping () -> any Broadcast) {
    self.tokens = tokens
    self.makeBroadcast = makeBroadcast
  }

  subscript(series: GuidanceSeries) -> GuidanceFeed {
    if let feed = feeds[series] { return feed }
    let feed = GuidanceFeed(tokens: tokens, broadcast: makeBroadcast())
    feeds[series] = feed
    return feed
  }

  /// Hands a new revision to whom it concerns on this loop.
  func publish(_ publication: GuidancePublication) {
    feeds[publication.revision.series]?.publish(publication)
  }

  func subscriberCount(of series: Set<GuidanceSeries>) -> Int {
    series.reduce(0) { $0 + (feeds[$1]?.subscriberCount ?? 0) }
  }

  /// Ends the streams of a series that has run out.
  func finish(_ series: GuidanceSeries) {
    feeds[series]?.finish()
  }
}

/// A revision with its encoding, made once for all loops.
package final class GuidancePublication: Sendable {
  package let revision: GuidanceRevision
  let suffix: SharedMessage
  let explanations: [UInt8]

  package init(_ revision: GuidanceRevision) {
    self.revision = revision
    suffix = SharedMessage(GuidanceSuffix.encode(revision))
    explanations = GuidanceExplanations.encode(revision)
  }
}

/// One series on one loop.
final class GuidanceFeed {
  private let tokens: GuidanceTokenCodec
  private let broadcast: any Broadcast
  private(set) var current: GuidancePublication?

  init(tokens: GuidanceTokenCodec, broadcast: any Broadcast) {
    self.tokens = tokens
    self.broadcast = broadcast
  }

  /// Takes in a revision that another loop, or the engine, has made current; older ones are ignored.
  func publish(_ publication: GuidancePublication) {
    guard isNewer(publication.revision) else { return }
    current = publication
    let revision = publication.revision
    broadcast.publish(publication.suffix) { [tokens] subscribers in
      Self.makeTokens(for: subscribers, of: revision, tokens)
    }
  }

  var subscriberCount: Int { broadcast.count }

  /// Ends all streams, each with a delay of its own after which to come back.
  func finish() {
    current = nil
    let count = broadcast.count
    broadcast.finishAll {
      Status(EnergyKitError.guidanceUnavailable(retryAfterSeconds: GuidanceRetry.seconds(streamCount: count)))
    }
  }

  func join(_ call: any ServerCall, as subscriber: GuidanceSubscriber, offersNewest: Bool) {
    broadcast.join(call, as: subscriber, offersNewest: false)
    if offersNewest, let current { call.offer(current.suffix, to: subscriber) }
  }

  private func isNewer(_ revision: GuidanceRevision) -> Bool {
    guard let known = current?.revision else { return true }
    return (known.issueTime.milliseconds, known.number) < (revision.issueTime.milliseconds, revision.number)
  }

  /// One cipher call for a slice of subscribers. Should the cipher fail, they keep the token of the guidance before,
  /// which is as good a proof of having asked.
  private static func makeTokens(
    for subscribers: [any BroadcastSubscriber], of revision: GuidanceRevision, _ codec: GuidanceTokenCodec
  ) {
    let guidanceSubscribers = subscribers.compactMap { $0 as? GuidanceSubscriber }
    let tags = guidanceSubscribers.map(\.tag)
    let made = [UUID](unsafeUninitializedCapacity: tags.count) { buffer, count in
      buffer.initialize(repeating: UUID(high: 0, low: 0))
      let isMade = tags.withUnsafeBufferPointer { tags in
        do throws(EnergyKitError) {
          try codec.makeTokens(issueTime: revision.issueTime, number: revision.number, tags: tags, into: buffer)
          return true
        } catch {
          return false
        }
      }
      count = isMade ? tags.count : 0
    }
    for (subscriber, token) in zip(guidanceSubscribers, made) { subscriber.token = token }
  }
}
