import EnergyModel
import FoundationEssentials

/// All events of all clients, in the order in which they were stored.
struct MemoryLedger: EventLedger {
  private var places: [EventIdentity: Int] = [:]
  private var events: [(identity: EventIdentity, event: SubmittedEvent)] = []

  var eventCount: Int { events.count }

  /// Never `failed`: memory either suffices or the process ends.
  mutating func judge(_ submission: EventSubmission) -> SubmissionOutcome {
    do {
      return try SubmissionJudge.judge(submission, in: &self)
    } catch {
      return .failed(error)
    }
  }

  mutating func insert(_ event: SubmittedEvent, of submission: EventSubmission) -> IdentityVerdict {
    let identity = EventIdentity(event, of: submission)
    let place = places[identity, default: events.count]
    guard place == events.count else { return events[place].event == event ? .sameContent : .otherContent }
    places[identity] = place
    events.append((identity, event))
    return .new
  }

  func verdict(on event: SubmittedEvent, of submission: EventSubmission) -> IdentityVerdict {
    guard let place = places[EventIdentity(event, of: submission)] else { return .new }
    return events[place].event == event ? .sameContent : .otherContent
  }

  mutating func removeNewest(_ count: Int) {
    for (identity, _) in events.suffix(count) { places[identity] = nil }
    events.removeLast(count)
  }
}
