internal import EnergyModel
internal import FoundationEssentials
package import Storage

/// AdminService without its messages: changes are durable first, then told to caches and to the guidance engine, and a
/// call returns when all have heard of them. One change at a time.
package struct AdminOperations: Sendable {
  /// Told of every change of clients, venues and access.
  package let changes: AccessChanges
  let store: any EnergyStore
  let clock: ServiceClock
  let guidance: GuidanceService
  let findPlace: PlaceFinder?
  private let audit: @Sendable (AdminChange) -> Void
  private let turn = ChangeTurn()
  private let erasureTurn = ChangeTurn()

  /// - Parameters:
  ///   - findPlace: `nil`: nothing is found from a place.
  ///   - audit: Told of what has been changed.
  package init(
    store: any EnergyStore, clock: ServiceClock, guidance: GuidanceService, changes: AccessChanges,
    findPlace: PlaceFinder? = nil, audit: @escaping @Sendable (AdminChange) -> Void = { _ in }
  ) {
    self.store = store
    self.clock = clock
    self.guidance = guidance
    self.changes = changes
    self.findPlace = findPlace
    self.audit = audit
  }

  /// Runs a change, alone.
  func change<Value: Sendable>(_ body: () async throws -> Value) async throws(AdminFailure) -> Value {
    do { return try await turn.run(body) } catch { throw AdminFailure(any: error) }
  }

  /// Erases events, one erasure at a time: each walks all events there are, and batches get through between its steps.
  func erase(_ erasure: EventErasure) async throws(AdminFailure) -> Int {
    do { return try await erasureTurn.run { try await store.erase(erasure) } } catch { throw AdminFailure(any: error) }
  }

  func read<Value: Sendable>(_ body: () async throws -> Value) async throws(AdminFailure) -> Value {
    do { return try await body() } catch { throw AdminFailure(any: error) }
  }

  /// For after a change that is durable.
  func tell(_ change: AccessChange, _ entry: AdminChange) async {
    await changes.publish(change)
    audit(entry)
  }

  func note(_ entry: AdminChange) { audit(entry) }
}

extension AdminFailure {
  /// From the errors that the calls of these operations throw.
  fileprivate init(any error: any Error) {
    self =
      switch error {
      case let failure as AdminFailure: failure
      case let error as StoreError: AdminFailure(error)
      case let error as EnergyKitError: .energyKit(error)
      default: .energyKit(.serviceUnavailable(retryAfterSeconds: 5))
      }
  }
}
