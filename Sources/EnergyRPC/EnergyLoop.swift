package import EnergyModel
package import EnergyService
package import EnergyWire
internal import FoundationEssentials
package import GRPC
internal import ProtobufWire
package import Storage

/// What one event loop needs to serve energy: its caches, arena and ciphers, and the services that all loops share.
/// Made on its loop and used there only (docs/decisions/0003-services-are-made-per-loop.md).
package final class EnergyLoop {
  let executor: any CallExecutor
  let shared: SharedServices
  let arena = DecodeArena()
  let access: AccessCache
  let tokens: GuidanceTokenCodec
  let feeds: GuidanceFeeds
  let mailbox: LoopMailbox
  private(set) lazy var standing = StandingCalls(of: self)
  private(set) lazy var streams = GuidanceStreams(of: self)

  /// - Parameter makeBroadcast: The transport's fan-out on this loop.
  /// - Throws: `serviceUnavailable` where the cryptography fails.
  package init(
    executor: any CallExecutor, shared: SharedServices, makeBroadcast: @escaping () -> any Broadcast
  ) throws(EnergyKitError) {
    self.executor = executor
    self.shared = shared
    access = AccessCache(
      loader: AccessLoader(store: shared.store, budgets: shared.budgets), clock: shared.clock,
      hop: { work in executor.execute(work) })
    tokens = try GuidanceTokenCodec(shared.tokenKeys)
    feeds = GuidanceFeeds(tokens: tokens, makeBroadcast: makeBroadcast)
    mailbox = LoopMailbox(executor: executor, submit: shared.loadEvents.submit)
    hearOfChanges()
  }

  /// Whoever changes something is answered when every loop has heard of it.
  private func hearOfChanges() {
    let home = Home(standing: standing)
    shared.admin.changes.register { [executor] change in
      await withCheckedContinuation { continuation in
        executor.execute {
          home.standing?.loop.apply(change)
          continuation.resume()
        }
      }
    }
  }

  /// What was let in before has been submitted when this returns.
  fileprivate func apply(_ change: AccessChange) {
    mailbox.flush()
    access.apply(change)
    switch change {
    case .client(let id): standing.judge(clientID: id)
    case .venue(let id): streams.judge(venueID: id, clientID: nil)
    case .access(let clientID, let venueID): streams.judge(venueID: venueID, clientID: clientID)
    }
  }

  /// Goes with the loop, and leads to it. What is weakly held itself is slower to retain ever after, and every call
  /// retains the loop.
  ///
  /// `@unchecked Sendable`: `standing` is looked at on its executor only.
  private struct Home: @unchecked Sendable {
    weak let standing: StandingCalls?
  }

  /// The methods of the contract that this loop serves.
  package var methods: [Method] {
    [
      method(.listVenues, ListVenues(self).handle, compressesAnswers: true),
      method(.getVenue, GetVenue(self).handle),
      method(.getGuidance, GetGuidance(self).handle),
      method(.streamGuidance, StreamGuidance(self).handle, isLongLived: true),
      method(.planLoad, PlanLoad(self).handle),
      method(.submitLoadEvents, SubmitLoadEvents(self).handle),
      Method(
        path: MethodName.streamLoadEvents.path,
        handler: .manyRequests { [self] call in LoadEventStream(call, on: self) },
        isLongLived: true),
    ] + adminMethods
  }

  private var adminMethods: [Method] {
    [
      method(.createClient, CreateClient(self).handle),
      method(.getClient, GetClient(self).handle),
      method(.listClients, ListClients(self).handle, compressesAnswers: true),
      method(.updateClient, UpdateClient(self).handle),
      method(.deleteClient, DeleteClient(self).handle),
      method(.rotateClientKey, RotateClientKey(self).handle),
      method(.createVenue, CreateVenue(self).handle),
      method(.getVenueSettings, GetVenueSettings(self).handle),
      method(.listVenueSettings, ListVenueSettings(self).handle, compressesAnswers: true),
      method(.updateVenue, UpdateVenue(self).handle),
      method(.deleteVenue, DeleteVenue(self).handle),
      method(.deleteDevice, DeleteDevice(self).handle),
      method(.setVenueAccess, SetVenueAccess(self).handle),
      method(.listVenueAccess, ListVenueAccess(self).handle, compressesAnswers: true),
      method(.publishGridSignal, PublishGridSignal(self).handle),
      method(.listGridRegions, ListGridRegions(self).handle),
      method(.resolveGridRegion, ResolveGridRegion(self).handle),
    ]
  }

  /// `methods` and who may call them.
  ///
  /// - Parameter others: Methods that are not of the contract: health, reflection.
  package func makeService(with others: [Method] = []) -> Service {
    Service(
      router: Router(methods + others, contract: MethodName.allCases.map(\.path)),
      admission: KeyAdmission(cache: access, adminKey: shared.adminKey))
  }

  private func method(
    _ name: MethodName, _ handle: @escaping (any ServerCall, UnsafeRawBufferPointer) -> Void,
    compressesAnswers: Bool = false, isLongLived: Bool = false
  ) -> Method {
    Method(
      path: name.path, handler: .oneRequest(handle), isForOperators: name.isAdmin, compressesAnswers: compressesAnswers,
      isLongLived: isLongLived)
  }

  /// Who calls, as far as that still holds: a call may have been let in before a change and be handled after it. Should
  /// it hold no more the call ends as a new one would, and `nil` is returned.
  func caller(of call: any ServerCall) -> Caller? {
    // Admission lets only clients through to the services that ask for one.
    guard let caller = call.caller as? Caller else {
      call.finish(.unauthenticated)
      return nil
    }
    return current(caller, of: call)
  }

  /// The same for a caller that was looked up in an earlier turn.
  func current(_ caller: Caller, of call: any ServerCall) -> Caller? {
    access.isCurrent(caller) ? caller : renewed(caller, for: call)
  }

  private func renewed(_ caller: Caller, for call: any ServerCall) -> Caller? {
    switch access.caller(caller.credential) {
    case .hit(let renewed):
      do throws(EnergyKitError) {
        try renewed.require(.energyKit)
        return renewed
      } catch {
        call.fail(error)
      }
    case .absent: call.finish(.unauthenticated)
    case .miss:
      access.fetchCaller(caller.credential) { _ in }
      call.fail(.serviceUnavailable(retryAfterSeconds: 1))
    }
    return nil
  }

  /// Calls `body` with what the caller may do at the venue (`nil`: it is absent to the caller): at once where this loop
  /// knows it, else on this loop once the store has said so. Fails the call where the store cannot say.
  func withPass(
    to venueID: UUID, of caller: Caller, for call: any ServerCall, _ body: @escaping (VenuePass?) -> Void
  ) {
    findPass(to: venueID, of: caller) { result in
      switch result {
      case .success(let pass): body(pass)
      case .failure(let error): call.fail(error)
      }
    }
  }

  /// The same, with what the store could not say.
  func findPass(
    to venueID: UUID, of caller: Caller, _ body: @escaping (Result<VenuePass?, EnergyKitError>) -> Void
  ) {
    switch access.pass(clientID: caller.id, venueID: venueID) {
    case .hit(let pass): body(.success(pass))
    case .absent: body(.success(nil))
    case .miss: access.fetchPass(clientID: caller.id, venueID: venueID, completion: body)
    }
  }
}

extension EnergyLoop {
  /// Whether events are to be taken of the caller's day; who may not submit hears of that instead.
  func needsDailyEvents(of caller: Caller, at pass: VenuePass?) -> Bool {
    caller.budget.daily != nil && pass?.access == .granted
  }

  /// Takes events of the caller's day, then calls `body` on this loop, in a later turn: what was looked up before may be
  /// true no more. What is not stored then is to be given back.
  func takeDailyEvents(
    _ count: Int, of caller: Caller, _ body: @escaping (Result<Void, EnergyKitError>) -> Void
  ) {
    guard let daily = caller.budget.daily else { return body(.success(())) }
    let rest = LoopContinuation(body)
    let (store, now, executor) = (shared.store, shared.clock.now, executor)
    Task {
      let result: Result<Void, EnergyKitError>
      do throws(EnergyKitError) {
        try await daily.take(count, of: caller.id, at: now, from: store)
        result = .success(())
      } catch {
        result = .failure(error)
      }
      executor.execute { rest.resume(result) }
    }
  }

  func giveBackDailyEvents(_ count: Int, of caller: Caller) {
    caller.budget.daily?.giveBack(count, on: shared.clock.now.day)
  }
}

/// What all loops share. Everything in it may be used from any thread.
package struct SharedServices: Sendable {
  package let store: any EnergyStore
  package let clock: ServiceClock
  package let tokenKeys: GuidanceTokenKeys
  package let adminKey: AdminKey
  package let admin: AdminOperations
  package let venues: VenueService
  package let guidance: GuidanceService
  package let loadEvents: LoadEventService
  package let fanOut: GuidanceFanOut
  package let sessionRules: SessionRules
  /// What each client may do in a time.
  package let budgets: ClientBudgets
  /// What became of events, for the operator.
  package let eventCounters = EventCounters()
  /// Told, on any thread, of each batch that the store failed; for the log.
  package let onStoreProblem: @Sendable (StoreError) -> Void

  package init(
    store: any EnergyStore, clock: ServiceClock, tokenKeys: GuidanceTokenKeys, adminKey: AdminKey,
    admin: AdminOperations, venues: VenueService, guidance: GuidanceService, loadEvents: LoadEventService,
    fanOut: GuidanceFanOut, sessionRules: SessionRules, clientLimits: ClientLimits = ClientLimits(),
    onStoreProblem: @escaping @Sendable (StoreError) -> Void
  ) {
    self.store = store
    self.clock = clock
    self.tokenKeys = tokenKeys
    self.adminKey = adminKey
    self.admin = admin
    self.venues = venues
    self.guidance = guidance
    self.loadEvents = loadEvents
    self.fanOut = fanOut
    self.sessionRules = sessionRules
    let budgets = ClientBudgets(clientLimits)
    self.budgets = budgets
    self.onStoreProblem = onStoreProblem
    admin.changes.register { change in
      guard case .client(let id) = change else { return }
      do {
        if try await store.client(id: id) == nil { budgets.forget(id) }
      } catch {
        // Kept, since it cannot be looked up.
      }
    }
  }
}
