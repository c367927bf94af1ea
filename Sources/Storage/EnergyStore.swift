package import EnergyModel
package import FoundationEssentials

/// Everything that outlives the process. Three implementations pass one contract suite (StorageTests).
///
/// Every call may come from any thread. An `async` call suspends its caller and does its work on a storage thread; a
/// write has returned only once it is durable. Names are ordered by the bytes of their UTF-8.
package protocol EnergyStore: AnyObject, Sendable {
  // MARK: Load events

  /// Hands batches to the writer, which commits everything that waits in one transaction; each outcome goes to the
  /// batch's mailbox, always, also `failed(.busy)` where more than `maximumPendingEventCount` events wait already.
  func submit(_ submissions: [EventSubmission])

  /// Takes up to `count` of the events that the client may store on a day (days since 1970, UTC) and returns how many
  /// were left to take; none where fewer than `minimum` are. Of `limit` no more are ever handed out.
  func leaseDailyEvents(
    _ count: Int, atLeast minimum: Int, of clientID: UUID, day: Int64, limit: Int
  ) async throws(StoreError) -> Int

  // MARK: Clients

  /// Whose API key hashes to `keyHash` (SHA-256, 32 bytes), the client disabled or not, the key ended or not.
  func keyOwner(_ keyHash: [UInt8]) async throws(StoreError) -> KeyOwner?
  func client(id: UUID) async throws(StoreError) -> Client?
  /// Ascending by name, then id.
  func clients(after: NameCursor?, limit: Int) async throws(StoreError) -> [Client]
  /// Adds the client or replaces what is stored under its id; a key hash, where given, is added to its keys. Throws
  /// `failed` and stores nothing where the hash is another client's.
  func save(_ client: Client, keyHash: [UInt8]?) async throws(StoreError)
  /// Adds a key to the client's and ends its others at `othersEnd`, or when they end already if that is sooner; those
  /// that have ended by `now` are forgotten. Throws `failed` where the client is absent or the hash is another client's.
  func replaceKeys(
    of clientID: UUID, by keyHash: [UInt8], othersEnd: Timestamp, now: Timestamp
  ) async throws(StoreError)
  /// Forgets the client, its keys and what it may do at venues; its events stay. Returns whether it was there.
  func deleteClient(id: UUID) async throws(StoreError) -> Bool

  // MARK: Venues

  func venue(id: UUID) async throws(StoreError) -> EnergyVenue?
  /// The venue as this client may see it: `nil` where it is absent or the access is `none`.
  func venue(id: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant?
  /// The same by the home's id; where several have it, the first by name, then id, of those that are not denied.
  func venue(homeID: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant?
  /// Those that the client may see (granted, restricted), ascending by name, then id.
  func venues(clientID: UUID, after: NameCursor?, limit: Int) async throws(StoreError) -> [EnergyVenue]
  func venues(after: NameCursor?, limit: Int) async throws(StoreError) -> [EnergyVenue]
  /// Adds the venue or replaces what is stored under its id.
  func save(_ venue: EnergyVenue) async throws(StoreError)
  /// Forgets the venue and who may use it, and remembers that its events are to be erased. Returns whether it was there.
  func deleteVenue(id: UUID) async throws(StoreError) -> Bool
  /// Throws `failed` where the venue or the client is absent.
  func setAccess(_ access: VenueAccess, venueID: UUID, clientID: UUID) async throws(StoreError)

  /// Who may do what, of a venue or a client where they are given; ascending by venue, then client, without `none`.
  func venueAccess(
    venueID: UUID?, clientID: UUID?, after: AccessCursor?, limit: Int
  ) async throws(StoreError) -> [VenueAccessEntry]

  // MARK: Erasure

  /// Erases the events that were stored or submitted before the call; returns how many there were. In steps, so that batches get
  /// through; what a crash interrupts is resumed by `finishErasures`.
  func erase(_ erasure: EventErasure) async throws(StoreError) -> Int
  /// Whether events of a venue that was deleted are still to be erased.
  func isErasing(venueID: UUID) async throws(StoreError) -> Bool
  /// Erases what is left of erasures that were begun. To be called once after opening.
  func finishErasures() async throws(StoreError)

  // MARK: Rate plans

  /// Ascending by id.
  func ratePlans() async throws(StoreError) -> [RatePlan]
  /// Adds the plan or replaces what is stored under its id.
  func save(_ plan: RatePlan) async throws(StoreError)

  // MARK: Grid signals

  /// Keeps a publication; the same (key, measured, issue time) again replaces it.
  func append(_ signal: GridSignal) async throws(StoreError)
  /// The publications for a region that were issued at or after `since`, ascending by issue time, then kind, model,
  /// forecasts before measured ones.
  func signals(gridRegion: String, since: Timestamp) async throws(StoreError) -> [GridSignal]

  /// The grid regions that there are publications for, ascending.
  func signalRegions() async throws(StoreError) -> [String]

  // MARK: Guidance

  /// Keeps a revision. Throws `failed` where (series, issue time, number) is taken.
  func append(_ revision: GuidanceRevision) async throws(StoreError)
  /// The newest revision of each series, in no particular order.
  func currentRevisions() async throws(StoreError) -> [GuidanceRevision]

  // MARK: Keys of the guidance token

  /// Newest first.
  func masterKeys() async throws(StoreError) -> [MasterKey]
  /// Throws `failed` where the id is taken.
  func append(_ key: MasterKey) async throws(StoreError)
  /// For one that nothing is checked with any more.
  func removeMasterKey(id: UInt8) async throws(StoreError)

  // MARK: Life

  /// Commits what waits, delivers its outcomes and releases the store. Later calls fail with `closed`.
  func close() async
}

/// Continues a listing that is ordered by name, then id.
package struct NameCursor: Hashable, Sendable {
  package let name: String
  package let id: UUID

  package init(name: String, id: UUID) {
    self.name = name
    self.id = id
  }
}

extension NameCursor: Comparable {
  /// The order of listings: the bytes of the name, then those of the id.
  package static func < (a: NameCursor, b: NameCursor) -> Bool {
    if a.name.utf8.elementsEqual(b.name.utf8) { return (a.id.high, a.id.low) < (b.id.high, b.id.low) }
    return a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
  }
}

extension EnergyStore {
  /// The client whose API key hashes to `keyHash`, disabled or not, the key ended or not.
  package func client(keyHash: [UInt8]) async throws(StoreError) -> Client? { try await keyOwner(keyHash)?.client }
}

/// A client and how long one of its keys works.
package struct KeyOwner: Hashable, Sendable {
  package let client: Client
  /// `nil`: until it is replaced.
  package let endTime: Timestamp?

  package init(client: Client, endTime: Timestamp?) {
    self.client = client
    self.endTime = endTime
  }
}

/// Continues a listing of access.
package struct AccessCursor: Hashable, Sendable {
  package let venueID: UUID
  package let clientID: UUID

  package init(venueID: UUID, clientID: UUID) {
    self.venueID = venueID
    self.clientID = clientID
  }
}

extension AccessCursor: Comparable {
  /// By the bytes of the ids.
  package static func < (a: AccessCursor, b: AccessCursor) -> Bool {
    (a.venueID.high, a.venueID.low, a.clientID.high, a.clientID.low)
      < (b.venueID.high, b.venueID.low, b.clientID.high, b.clientID.low)
  }
}

package struct VenueAccessEntry: Hashable, Sendable {
  package let venueID: UUID
  package let clientID: UUID
  package let access: VenueAccess

  package init(venueID: UUID, clientID: UUID, access: VenueAccess) {
    self.venueID = venueID
    self.clientID = clientID
    self.access = access
  }

  package var cursor: AccessCursor { AccessCursor(venueID: venueID, clientID: clientID) }
}

/// Events that are to go: all of a venue, or those of one device there.
package struct EventErasure: Hashable, Sendable {
  package let venueID: UUID
  /// `nil`: every device.
  package let device: Device?

  /// A client's device.
  package struct Device: Hashable, Sendable {
    package let clientID: UUID
    package let id: String

    package init(clientID: UUID, id: String) {
      self.clientID = clientID
      self.id = id
    }
  }

  package init(venueID: UUID, device: Device? = nil) {
    self.venueID = venueID
    self.device = device
  }
}

/// A venue and what one client may do with it.
package struct VenueGrant: Hashable, Sendable {
  package let venue: EnergyVenue
  /// Never `none`.
  package let access: VenueAccess

  package init(venue: EnergyVenue, access: VenueAccess) {
    self.venue = venue
    self.access = access
  }
}

/// A master key that guidance tokens are made with (docs/architecture.md, Guidance token).
package struct MasterKey: Hashable, Sendable {
  /// 0...255; goes into the token's flags, so two live keys never share one.
  package let id: UInt8
  /// 32 random bytes.
  package let secret: [UInt8]
  package let createTime: Timestamp

  package init(id: UInt8, secret: [UInt8], createTime: Timestamp) {
    self.id = id
    self.secret = secret
    self.createTime = createTime
  }
}
