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
  /// Wait for the ends of keys that calls were let in by.
  private var keyWatches: [Credential: Task<Void, Never>] = [:]

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
    if calls[clientID]?.isEmpty == true { calls[clientID] = nil }
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
    let credential = caller.credential
    guard let end = caller.keyEndTime, keyWatches[credential] == nil else { return }
    let finish = LoopContinuation<Void> { [weak self] in self?.keyEnded(credential, clientID: caller.id) }
    keyWatches[credential] = Self.watch(until: end, by: loop.shared.clock, on: loop.executor, finish)
  }

  private static func watch(
    until end: Timestamp, by clock: ServiceClock, on executor: any CallExecutor, _ finish: LoopContinuation<Void>
  ) -> Task<Void, Never> {
    Task {
      await sleep(until: end, by: clock)
      executor.execute { finish.resume(()) }
    }
  }

  /// In short steps, since the clock may jump.
  private static func sleep(until end: Timestamp, by clock: ServiceClock) async {
    var left = end.milliseconds(since: clock.now)
    while left > 0, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(min(left, longestSleepMilliseconds)))
      left = end.milliseconds(since: clock.now)
    }
  }

  /// The end may have come sooner than was known: what is left is watched anew.
  private func keyEnded(_ credential: Credential, clientID: UUID) {
    keyWatches[credential] = nil
    for standing in (calls[clientID] ?? [:]).values where standing.caller.credential == credential { judge(standing) }
  }
}
