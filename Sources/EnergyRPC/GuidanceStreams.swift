internal import EnergyModel
internal import EnergyService
internal import FoundationEssentials
internal import GRPC

/// The open guidance streams of one loop, by venue. When a venue or access to it changes they are judged again as a new
/// call would be: they end with its error, or follow the series that is now the venue's (docs/architecture.md, Callers).
final class GuidanceStreams {
  private unowned let loop: EnergyLoop
  private var subscribers: [UUID: [GuidanceSubscriber]] = [:]

  init(of loop: EnergyLoop) {
    self.loop = loop
  }

  /// Stays until its call ends.
  func add(_ subscriber: GuidanceSubscriber) {
    subscriber.place = subscribers[subscriber.venueID]?.count ?? 0
    subscribers[subscriber.venueID, default: []].append(subscriber)
    subscriber.streams = self
    subscriber.call?.observer = subscriber
    loop.standing.add(subscriber)
  }

  /// The last one of the venue takes its place.
  func remove(_ subscriber: GuidanceSubscriber) {
    loop.standing.remove(subscriber)
    guard var list = subscribers.removeValue(forKey: subscriber.venueID) else { return }
    if list.indices.contains(subscriber.place), list[subscriber.place] === subscriber {
      let last = list.removeLast()
      if last !== subscriber {
        list[subscriber.place] = last
        last.place = subscriber.place
      }
    }
    if !list.isEmpty { subscribers[subscriber.venueID] = list }
  }

  /// The caches have dropped what was known of the venue.
  ///
  /// - Parameter clientID: Whose access has changed; `nil`: the venue itself has.
  func judge(venueID: UUID, clientID: UUID?) {
    for each in subscribers[venueID] ?? [] where clientID ?? each.caller.id == each.caller.id { judgeVenue(each) }
  }

  func judgeVenue(_ subscriber: GuidanceSubscriber) {
    guard let call = subscriber.call, !call.hasEnded else { return }
    subscriber.round &+= 1
    let round = subscriber.round
    loop.withGuidance(at: subscriber.venueID, subscriber.action, of: subscriber.caller, for: call) { view in
      guard subscriber.round == round, view.feed !== subscriber.feed else { return }
      subscriber.token = view.token
      subscriber.follow(view.feed, offersNewest: true)
    }
  }
}
