package import EnergyModel
package import FoundationEssentials
internal import Locking
package import Storage

/// The events that a client may store in a day (UTC), leased from the store in tenths so that it survives restarts: what
/// a process had leased and not used is gone with it.
package final class DailyBudget: Sendable {
  fileprivate struct State {
    var day: Int64 = .min
    /// Leased and not used.
    var left = 0
    /// The least that the store has refused on this day; it has less.
    var refused = Int.max
  }

  package enum Answer: Hashable, Sendable {
    case taken
    /// Ask the store for so many, tell `add`, take again.
    case needsLease(Int, atLeast: Int)
    case exhausted
  }

  package let limit: Int
  private let state = Lock(State())

  package init(limit: Int) {
    self.limit = limit
  }

  package func take(_ count: Int, on day: Int64) -> Answer {
    state.withLock { state in
      state.turn(to: day)
      if count <= state.left {
        state.left -= count
        return .taken
      }
      let missing = count - state.left
      return missing >= state.refused ? .exhausted : .needsLease(max(missing, limit / 10), atLeast: missing)
    }
  }

  /// - Parameter granted: What the store gave where it was asked for at least `minimum`.
  package func add(_ granted: Int, atLeast minimum: Int, on day: Int64) {
    state.withLock { state in
      state.turn(to: day)
      guard state.day == day else { return }
      state.left += granted
      if granted < minimum { state.refused = min(state.refused, minimum) }
    }
  }

  /// For what was taken and not stored.
  package func giveBack(_ count: Int, on day: Int64) {
    state.withLock { state in
      if state.day == day { state.left += count }
    }
  }

  /// Takes `count`, leasing what is missing.
  ///
  /// - Throws: `rateLimitExceeded` until the next day; `serviceUnavailable` where the store fails.
  package func take(
    _ count: Int, of clientID: UUID, at now: Timestamp, from store: any EnergyStore
  ) async throws(EnergyKitError) {
    let day = now.day
    while true {
      switch take(count, on: day) {
      case .taken: return
      case .exhausted: throw .rateLimitExceeded(retryAfterSeconds: Int((day + 1) * 86_400 - now.seconds))
      case .needsLease(let asked, let minimum):
        do {
          let granted = try await store.leaseDailyEvents(asked, atLeast: minimum, of: clientID, day: day, limit: limit)
          add(granted, atLeast: minimum, on: day)
        } catch {
          throw EnergyKitError(error)
        }
      }
    }
  }
}

extension DailyBudget.State {
  mutating func turn(to day: Int64) {
    // Two threads may read the clock at midnight; the day does not go back.
    guard self.day < day else { return }
    self = DailyBudget.State(day: day)
  }
}

extension Timestamp {
  /// Days since 1970, UTC.
  package var day: Int64 { seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400 }
}
