package import EnergyModel
package import FoundationEssentials
internal import Storage

/// What a cache knows.
package enum Lookup<Value> {
  case hit(Value)
  /// Known not to exist, or not for this caller.
  case absent
  /// Not known: fetch it.
  case miss
}

/// Who calls and what they may do, as far as one event loop has lately asked the store: bounded, dropped by change
/// notices (docs/architecture.md, Store). Made and used on its loop only.
///
/// A hit is synchronous. A fetch is made once however many wait for it, and again where a change notice overtakes it.
package final class AccessCache {
  /// Runs its argument on the cache's loop, later, from any thread.
  package typealias Hop = @Sendable (@escaping @Sendable () -> Void) -> Void

  package struct Limits: Hashable, Sendable {
    /// Callers and passes kept, each.
    package var capacity: Int
    /// Unknown keys and unknown venues kept, each: few, since anybody can make them up.
    package var absentCapacity: Int
    /// How long an unknown key or venue stays one without asking again.
    package var absentMilliseconds: Int64

    package init(capacity: Int = 20_000, absentCapacity: Int = 1_000, absentMilliseconds: Int64 = 2_000) {
      self.capacity = capacity
      self.absentCapacity = absentCapacity
      self.absentMilliseconds = absentMilliseconds
    }
  }

  struct PassKey: Hashable, Sendable {
    let clientID: UUID
    let venueID: UUID
  }

  /// Grows with every change notice: what was concluded under an older one is to be looked up again.
  package private(set) var epoch: UInt64 = 0

  private let loader: AccessLoader
  private let clock: ServiceClock
  private let limits: Limits
  private let hop: Hop
  private var callers: TwoGenerationCache<Credential, Caller>
  private var passes: TwoGenerationCache<PassKey, VenuePass>
  private var absentCallers: TwoGenerationCache<Credential, Timestamp>
  private var absentPasses: TwoGenerationCache<PassKey, Timestamp>
  private var callerFetches: [Credential: Fetch<Caller>] = [:]
  private var passFetches: [PassKey: Fetch<VenuePass>] = [:]
  /// The epoch of the last change of each client that has been changed since `forgottenEpoch`.
  private var changedClients: [UUID: UInt64] = [:]
  /// Of changes up to this one it is not known whose they were.
  private var forgottenEpoch: UInt64 = 0
  private static let changedClientCapacity = 10_000

  package init(loader: AccessLoader, clock: ServiceClock, limits: Limits = Limits(), hop: @escaping Hop) {
    self.loader = loader
    self.clock = clock
    self.limits = limits
    self.hop = hop
    callers = TwoGenerationCache(capacity: limits.capacity)
    passes = TwoGenerationCache(capacity: limits.capacity)
    absentCallers = TwoGenerationCache(capacity: limits.absentCapacity)
    absentPasses = TwoGenerationCache(capacity: limits.absentCapacity)
  }

  // MARK: Callers

  /// Never a disabled client, nor one by a key that has ended: those are `absent`, as unknown ones are.
  package func caller(_ credential: Credential) -> Lookup<Caller> {
    if let caller = callers.value(for: credential) { return hasEnded(caller) ? .absent : .hit(caller) }
    return isAbsent(absentCallers.value(for: credential)) ? .absent : .miss
  }

  /// Whether what is known of the client is what the store has: a call may have been let in before a change, and go on
  /// after it.
  package func isCurrent(_ caller: Caller) -> Bool {
    guard caller.epoch >= forgottenEpoch, !hasEnded(caller) else { return false }
    if changedClients.isEmpty { return true }
    return caller.epoch >= changedClients[caller.id] ?? 0
  }

  func hasEnded(_ caller: Caller) -> Bool {
    guard let end = caller.keyEndTime else { return false }
    return end <= clock.now
  }

  /// Asks the store, then calls `completion` on the loop: `nil` where there is no such caller. For after a miss.
  package func fetchCaller(
    _ credential: Credential, completion: @escaping (Result<Caller?, EnergyKitError>) -> Void
  ) {
    if callerFetches[credential]?.join(completion) == nil {
      callerFetches[credential] = Fetch(completion)
      startFetch(of: credential)
    }
  }

  private func startFetch(of credential: Credential) {
    let home = LoopBound(self)
    Task { [loader, hop, epoch] in
      let result = await outcome { () async throws(EnergyKitError) in
        try await loader.caller(credential, epoch: epoch)
      }
      hop { home.value.finishFetch(of: credential, with: result) }
    }
  }

  private func finishFetch(of credential: Credential, with result: Result<Caller?, EnergyKitError>) {
    if callerFetches[credential]?.mustRestart() == true { return startFetch(of: credential) }
    guard let fetch = callerFetches.removeValue(forKey: credential) else { return }
    let result = result.map { caller in caller.flatMap { hasEnded($0) ? nil : $0 } }
    guard !fetch.isOvertaken else { return fetch.complete(.failure(.serviceUnavailable(retryAfterSeconds: 1))) }
    if case .success(let caller) = result {
      if let caller {
        callers.insert(caller, for: credential)
      } else {
        absentCallers.insert(clock.now, for: credential)
      }
    }
    fetch.complete(result)
  }

  // MARK: Venues

  /// What the client may do at the venue; `absent` where there is no such venue or no access.
  package func pass(clientID: UUID, venueID: UUID) -> Lookup<VenuePass> {
    let key = PassKey(clientID: clientID, venueID: venueID)
    if let pass = passes.value(for: key) { return .hit(pass) }
    return isAbsent(absentPasses.value(for: key)) ? .absent : .miss
  }

  /// Asks the store, then calls `completion` on the loop: `nil` where the venue is absent to the client. For after a
  /// miss.
  package func fetchPass(
    clientID: UUID, venueID: UUID, completion: @escaping (Result<VenuePass?, EnergyKitError>) -> Void
  ) {
    let key = PassKey(clientID: clientID, venueID: venueID)
    if passFetches[key]?.join(completion) == nil {
      passFetches[key] = Fetch(completion)
      startFetch(of: key)
    }
  }

  private func startFetch(of key: PassKey) {
    let home = LoopBound(self)
    Task { [loader, hop] in
      let result = await outcome { () async throws(EnergyKitError) in
        try await loader.grant(clientID: key.clientID, venueID: key.venueID)
      }
      hop { home.value.finishFetch(of: key, with: result) }
    }
  }

  private func finishFetch(of key: PassKey, with result: Result<VenueGrant?, EnergyKitError>) {
    if passFetches[key]?.mustRestart() == true { return startFetch(of: key) }
    guard let fetch = passFetches.removeValue(forKey: key) else { return }
    let pass = result.map { grant in grant.map { VenuePass($0, clientID: key.clientID) } }
    guard !fetch.isOvertaken else { return fetch.complete(.failure(.serviceUnavailable(retryAfterSeconds: 1))) }
    if case .success(let pass) = pass {
      if let pass { passes.insert(pass, for: key) } else { absentPasses.insert(clock.now, for: key) }
    }
    fetch.complete(pass)
  }

  // MARK: Changes

  /// Drops what `change` may have made untrue, and has what is being fetched read again. On the loop.
  package func apply(_ change: AccessChange) {
    epoch += 1
    switch change {
    case .client(let id):
      if changedClients.count >= Self.changedClientCapacity {
        changedClients = [:]
        forgottenEpoch = epoch
      }
      changedClients[id] = epoch
      callers.removeAll { $1.id == id }
      absentCallers.removeAll { _, _ in true }
      // Whose keys are being fetched is not known yet.
      for credential in callerFetches.keys { callerFetches[credential]?.isOvertaken = true }
    case .venue(let id):
      dropPasses { $0.venueID == id }
    case .access(let clientID, let venueID):
      dropPasses { $0.clientID == clientID && $0.venueID == venueID }
    }
  }

  private func dropPasses(where isDue: (PassKey) -> Bool) {
    passes.removeAll { key, _ in isDue(key) }
    absentPasses.removeAll { key, _ in isDue(key) }
    for key in passFetches.keys where isDue(key) { passFetches[key]?.isOvertaken = true }
  }

  private func isAbsent(_ found: Timestamp?) -> Bool {
    guard let found else { return false }
    return (0..<limits.absentMilliseconds).contains(clock.now.milliseconds(since: found))
  }
}

/// A question to the store that is on its way, and those who wait for the answer.
private struct Fetch<Value> {
  /// A change came meanwhile: the answer may be of before it.
  var isOvertaken = false
  private var waiters: [(Result<Value?, EnergyKitError>) -> Void]
  private var restartsLeft = 20

  init(_ waiter: @escaping (Result<Value?, EnergyKitError>) -> Void) {
    waiters = [waiter]
  }

  mutating func join(_ waiter: @escaping (Result<Value?, EnergyKitError>) -> Void) {
    waiters.append(waiter)
  }

  /// Whether to ask again. Under an unending stream of changes no answer is sure to be of now, and those who wait fail.
  mutating func mustRestart() -> Bool {
    guard isOvertaken, restartsLeft > 0 else { return false }
    isOvertaken = false
    restartsLeft -= 1
    return true
  }

  func complete(_ result: Result<Value?, EnergyKitError>) {
    for waiter in waiters { waiter(result) }
  }
}

/// `Result` from a call with typed throws, which `Result.init(catching:)` has for synchronous ones only.
private func outcome<Value: Sendable>(
  _ body: () async throws(EnergyKitError) -> Value
) async -> Result<Value, EnergyKitError> {
  do { return .success(try await body()) } catch { return .failure(error) }
}

/// Carries a loop's own object through code that does not touch it, back to the loop.
///
/// `@unchecked Sendable`: `value` is read on its loop only, inside `AccessCache.Hop`.
private struct LoopBound<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
