package import EnergyModel
package import FoundationEssentials
internal import LocalTime
package import Storage

/// AdminService without its messages: changes are durable first, then told to caches and to the guidance engine.
package struct AdminOperations: Sendable {
  private let store: any EnergyStore
  private let clock: ServiceClock
  private let guidance: GuidanceService
  private let changes: AccessChanges

  package init(store: any EnergyStore, clock: ServiceClock, guidance: GuidanceService, changes: AccessChanges) {
    self.store = store
    self.clock = clock
    self.guidance = guidance
    self.changes = changes
  }

  // MARK: Clients

  package struct CreatedClient: Sendable {
    package let client: Client
    /// Shown this once; `nil` where the client was there already.
    package let key: APIKey?
  }

  /// - Parameter id: `nil`: a new one. Repeating a request with an id is harmless.
  /// - Throws: `alreadyExists` where the id is known with another name or other entitlements.
  package func createClient(
    id: UUID?, name: String, entitlements: Set<Entitlement>
  ) async throws(AdminFailure) -> CreatedClient {
    do {
      if let id, let known = try await store.client(id: id) {
        guard known.name == name, known.entitlements == entitlements else {
          throw AdminFailure.alreadyExists(.client(id: id.text))
        }
        return CreatedClient(client: known, key: nil)
      }
      let key = try APIKey.make()
      let client = Client(
        id: id ?? UUID(), name: name, entitlements: entitlements, isDisabled: false, createTime: clock.now)
      try await store.save(client, keyHash: key.hash.bytes)
      changes.publish(.client(client.id))
      return CreatedClient(client: client, key: key)
    } catch {
      throw AdminFailure(any: error)
    }
  }

  /// Changes a client; `body` gets what is stored.
  /// - Throws: `notFound`.
  package func updateClient(
    id: UUID, _ body: @Sendable (inout Client) -> Void
  ) async throws(AdminFailure) -> Client {
    do {
      guard var client = try await store.client(id: id) else { throw AdminFailure.notFound(.client(id: id.text)) }
      body(&client)
      try await store.save(client, keyHash: nil)
      changes.publish(.client(id))
      return client
    } catch {
      throw AdminFailure(any: error)
    }
  }

  // MARK: Venues

  /// - Parameter id: `nil`: a new one. Repeating a request with an id is harmless.
  /// - Throws: `alreadyExists` where the id is known with other content, `notFound` for an unknown rate plan,
  ///   `invalidRequest` for an unknown time zone.
  package func createVenue(id: UUID?, _ new: NewVenue) async throws(AdminFailure) -> EnergyVenue {
    do {
      if let id, let known = try await store.venue(id: id) {
        guard new.venue(id: id, createTime: known.createTime) == known else {
          throw AdminFailure.alreadyExists(.venue(id: id.text))
        }
        return known
      }
      return try await save(new.venue(id: id ?? UUID(), createTime: clock.now))
    } catch {
      throw AdminFailure(any: error)
    }
  }

  /// Changes a venue; `body` gets what is stored.
  /// - Throws: `notFound` for an unknown venue or rate plan, `invalidRequest` for an unknown time zone.
  package func updateVenue(
    id: UUID, _ body: @Sendable (inout EnergyVenue) -> Void
  ) async throws(AdminFailure) -> EnergyVenue {
    do {
      guard var venue = try await store.venue(id: id) else { throw AdminFailure.notFound(.venue(id: id.text)) }
      body(&venue)
      return try await save(venue)
    } catch {
      throw AdminFailure(any: error)
    }
  }

  /// Its guidance is there before anybody can ask for it.
  private func save(_ venue: EnergyVenue) async throws -> EnergyVenue {
    guard LocalClock(timeZone: venue.timeZone) != nil else {
      throw AdminFailure.invalidRequest(
        InvalidRequest(field: "time_zone", description: "must be an IANA name, for example America/Los_Angeles"))
    }
    if let planID = venue.ratePlanID {
      guard try await store.ratePlans().contains(where: { $0.id == planID }) else {
        throw AdminFailure.notFound(.ratePlan(id: planID))
      }
    }
    try await store.save(venue)
    if venue.mayHaveGuidance {
      try await guidance.prepare(SuggestedAction.allCases.map { GuidanceSeries(of: venue, action: $0) })
    }
    changes.publish(.venue(venue.id))
    return venue
  }

  /// - Throws: `notFound` for an unknown venue or client.
  package func setAccess(
    _ access: VenueAccess, venueID: UUID, clientID: UUID
  ) async throws(AdminFailure) {
    do {
      guard try await store.venue(id: venueID) != nil else { throw AdminFailure.notFound(.venue(id: venueID.text)) }
      guard try await store.client(id: clientID) != nil else { throw AdminFailure.notFound(.client(id: clientID.text)) }
      try await store.setAccess(access, venueID: venueID, clientID: clientID)
      changes.publish(.access(clientID: clientID, venueID: venueID))
    } catch {
      throw AdminFailure(any: error)
    }
  }

  // MARK: Prices and grid data

  /// - Throws: `alreadyExists` where the id is known with other content.
  package func createRatePlan(_ plan: RatePlan) async throws(AdminFailure) {
    do {
      if let known = try await store.ratePlans().first(where: { $0.id == plan.id }) {
        guard known == plan else { throw AdminFailure.alreadyExists(.ratePlan(id: plan.id)) }
        return
      }
      try await guidance.save(plan)
    } catch {
      throw AdminFailure(any: error)
    }
  }

  /// Durable first, then current for all readers.
  package func publish(_ signal: GridSignal) async throws(AdminFailure) -> PublicationEffect {
    do throws(EnergyKitError) {
      return try await guidance.publish(signal)
    } catch {
      throw .energyKit(error)
    }
  }
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
