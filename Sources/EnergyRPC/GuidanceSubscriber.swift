internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import FoundationEssentials
internal import GRPC

/// One open guidance stream: its own part of the messages (token and venue), and what it is judged by when access
/// changes. Belongs to its loop; the call keeps it alive.
final class GuidanceSubscriber: BroadcastSubscriber, StandingCall {
  let tag: TokenTag
  let venueID: UUID
  let action: SuggestedAction
  var token: UUID
  var caller: Caller
  /// `nil` once the call has ended.
  private(set) var call: (any ServerCall)?
  private(set) var feed: GuidanceFeed?
  /// Where `GuidanceStreams` has it.
  var place = 0
  weak var streams: GuidanceStreams?
  /// In which the stream is counted.
  private let budget: ClientBudget
  /// Counts judgements, so that one that was overtaken can tell.
  var round: UInt32 = 0

  init(
    call: any ServerCall, caller: Caller, venueID: UUID, action: SuggestedAction, tag: TokenTag, token: UUID
  ) {
    self.call = call
    self.caller = caller
    budget = caller.budget
    self.venueID = venueID
    self.action = action
    self.tag = tag
    self.token = token
  }

  func callerWasJudged() { streams?.judgeVenue(self) }

  /// Leaves the feed that it follows, if any, for another.
  func follow(_ feed: GuidanceFeed, offersNewest: Bool) {
    guard let call else { return }
    self.feed = feed
    feed.join(call, as: self, offersNewest: offersNewest)
  }

  func prefixByteCount(before sharedByteCount: Int) -> Int { GuidancePrefix.byteCount(before: sharedByteCount) }

  func writePrefix(before sharedByteCount: Int, into buffer: UnsafeMutableRawBufferPointer) {
    GuidancePrefix(token: token, venueID: venueID).write(before: sharedByteCount, into: buffer)
  }
}

extension GuidanceSubscriber: CallObserver {
  func callEnded(_ call: any ServerCall, _ end: CallEnd) {
    budget.closeStream()
    streams?.remove(self)
    self.call = nil
    feed = nil
  }

  func callCanSend(_ call: any ServerCall) {}
}
