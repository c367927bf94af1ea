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

  // MARK: Clients

  /// The client whose API key hashes to `keyHash` (SHA-256, 32 bytes), disabled or not.
  func client(keyHash: [UInt8]) async throws(StoreError) -> Client?
  func client(id: UUID) async throws(StoreError) -> Client?
  /// Ascending by name, then id.
  func clients(after: NameCursor?, limit: Int) async throws(StoreError) -> [Client]
  /// Adds the client or replaces what is stored under its id; a key hash, where given, is added to its keys. Throws
  /// `failed` and stores nothing where the hash is another client's.
  func save(_ client: Client, keyHash: [UInt8]?) async throws(StoreError)

  // MARK: Venues

  func venue(id: UUID) async throws(StoreError) -> EnergyVenue?
  /// The venue as this client may see it: `nil` where it is absent or the access is `none`.
  func venue(id: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant?
  /// The same by the home's id; where several have it, the first by name, then id.
  func venue(homeID: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant?
  /// Those that the client may see (granted, restricted), ascending by name, then id.
  func venues(clientID: UUID, after: NameCursor?, limit: Int) async throws(StoreError) -> [EnergyVenue]
  func venues(after: NameCursor?, limit: Int) async throws(StoreError) -> [EnergyVenue]
  /// Adds the venue or replaces what is stored under its id.
  func save(_ venue: EnergyVenue) async throws(StoreError)
  /// Throws `failed` where the venue or the client is absent.
  func setAccess(_ access: VenueAccess, venueID: UUID, clientID: UUID) async throws(StoreError)

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
