internal import EnergyModel
internal import EnergyService
internal import EnergyWire
internal import FoundationEssentials
internal import GRPC

/// A call that stays open: what it was let in by may be taken away meanwhile. Belongs to its loop.
protocol StandingCall: AnyObject {
  /// `nil` once it has ended.
  var call: (any ServerCall)? { get }
  /// As it was last known.
  var caller: Caller { get set }
  /// The caller is still let in; something about it may be new.
  func callerWasJudged()
}

/// The calls of one loop that stay open, by client. When a client or its keys change they are judged again as a new call
/// would be, from the key on, and end with its error (docs/architecture.md, Callers).
final class StandingCalls {
  private static let longestSleepMilliseconds: Int64 = 500

  unowned let loop: EnergyLoop
  private var calls: [UUID: [ObjectIdentifier: any StandingCall]] = [:]
  /// When keys end that calls were let in by, of clients that have calls.
  private var keyEnds: [UUID: [Credential: Timestamp]] = [:]
  private var isWatching = false

  init(of loop: EnergyLoop) {
    self.loop = loop
  }

  /// To be taken away by `remove` when its call ends.
  func add(_ standing: any StandingCall) {
    calls[standing.caller.id, default: [:]][ObjectIdentifier(standing)] = standing
    watchKey(of: standing.caller)
  }

  func remove(_ standing: any StandingCall) {
    let clientID = standing.caller.id
    calls[clientID]?[ObjectIdentifier(standing)] = nil
    guard calls[clientID]?.isEmpty == true else { return }
    calls[clientID] = nil
    keyEnds[clientID] = nil
  }

  func judge(clientID: UUID) {
    for standing in (calls[clientID] ?? [:]).values { judge(standing) }
  }

  /// Calls by one key share one look into the store.
  func judge(_ standing: any StandingCall) {
    loop.access.fetchCaller(standing.caller.credential) { [self] result in
      guard let call = standing.call, !call.hasEnded else { return }
      do throws(EnergyKitError) {
        guard let caller = try result.get() else { return call.finish(.unauthenticated) }
        try caller.require(.energyKit)
        standing.caller = caller
        watchKey(of: caller)
        standing.callerWasJudged()
      } catch {
        call.fail(error)
      }
    }
  }

  // MARK: Ends of keys

  private func watchKey(of caller: Caller) {
    guard let end = caller.keyEndTime else { return }
    keyEnds[caller.id, default: [:]][caller.credential] = end
    watch()
  }

  /// Looks again when the next key ends, or sooner, since the clock may jump. One watch for all keys, while there are any.
  private func watch() {
    guard !isWatching, let next = keyEnds.values.lazy.flatMap(\.values).min() else { return }
    isWatching = true
    let left = next.milliseconds(since: loop.shared.clock.now)
    let pause = min(max(left, 1), Self.longestSleepMilliseconds)
    let look = LoopContinuation<Void> { [weak self] in self?.look() }
    Task { [executor = loop.executor] in
      try? await Task.sleep(for: .milliseconds(pause))
      executor.execute { look.resume(()) }
    }
  }

  /// The end may have come sooner than was known: whoever is judged still to be let in is watched anew.
  private func look() {
    isWatching = false
    let now = loop.shared.clock.now
    for (clientID, ends) in keyEnds {
      for (credential, end) in ends where end <= now {
        keyEnds[clientID]?[credential] = nil
        for standing in (calls[clientID] ?? [:]).values where standing.caller.credential == credential {
          judge(standing)
        }
      }
    }
    watch()
  }
}
