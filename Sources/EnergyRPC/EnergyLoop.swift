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

  /// - Parameter makeBroadcast: The transport's fan-out on this loop.
  /// - Throws: `serviceUnavailable` where the cryptography fails.
  package init(
    executor: any CallExecutor, shared: SharedServices, makeBroadcast: @escaping () -> any Broadcast
  ) throws(EnergyKitError) {
    self.executor = executor
    self.shared = shared
    access = AccessCache(
      loader: AccessLoader(store: shared.store), clock: shared.clock, hop: { work in executor.execute(work) })
    tokens = try GuidanceTokenCodec(shared.tokenKeys)
    feeds = GuidanceFeeds(tokens: tokens, makeBroadcast: makeBroadcast)
    mailbox = LoopMailbox(executor: executor, submit: shared.loadEvents.submit)
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
      method(.publishGridSignal, PublishGridSignal(self).handle),
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

  /// Calls `body` with what the caller may do at the venue (`nil`: it is absent to the caller): at once where this loop
  /// knows it, else on this loop once the store has said so. Fails the call where the store cannot say.
  func withPass(
    to venueID: UUID, of caller: Caller, for call: any ServerCall, _ body: @escaping (VenuePass?) -> Void
  ) {
    switch access.pass(clientID: caller.id, venueID: venueID) {
    case .hit(let pass): body(pass)
    case .absent: body(nil)
    case .miss:
      access.fetchPass(clientID: caller.id, venueID: venueID) { result in
        switch result {
        case .success(let pass): body(pass)
        case .failure(let error): call.fail(error)
        }
      }
    }
  }
}

/// What all loops share. Everything in it may be used from any thread.
package struct SharedServices: Sendable {
  package let store: any EnergyStore
  package let clock: ServiceClock
  package let tokenKeys: GuidanceTokenKeys
  package let adminKey: AdminKey
  package let venues: VenueService
  package let guidance: GuidanceService
  package let loadEvents: LoadEventService
  package let fanOut: GuidanceFanOut
  package let sessionRules: SessionRules
  /// What became of events, for the operator.
  package let eventCounters = EventCounters()
  /// Told, on any thread, of each batch that the store failed; for the log.
  package let onStoreProblem: @Sendable (StoreError) -> Void

  package init(
    store: any EnergyStore, clock: ServiceClock, tokenKeys: GuidanceTokenKeys, adminKey: AdminKey,
    venues: VenueService, guidance: GuidanceService, loadEvents: LoadEventService, fanOut: GuidanceFanOut,
    sessionRules: SessionRules, onStoreProblem: @escaping @Sendable (StoreError) -> Void
  ) {
    self.store = store
    self.clock = clock
    self.tokenKeys = tokenKeys
    self.adminKey = adminKey
    self.venues = venues
    self.guidance = guidance
    self.loadEvents = loadEvents
    self.fanOut = fanOut
    self.sessionRules = sessionRules
    self.onStoreProblem = onStoreProblem
  }
}
