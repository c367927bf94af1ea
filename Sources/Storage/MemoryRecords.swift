import EnergyModel
import FoundationEssentials

/// What `InMemoryStore` holds beside the events.
struct MemoryRecords {
  var isClosed = false
  var clients: [UUID: Client] = [:]
  /// By the hash of a key.
  var keys: [[UInt8]: Key] = [:]
  var venues: [UUID: EnergyVenue] = [:]
  /// Deleted, their events not yet.
  var venuesToErase: Set<UUID> = []
  /// Events leased on a day, by client.
  var dailyEvents: [UUID: (day: Int64, leased: Int)] = [:]
  var access: [Pair: VenueAccess] = [:]
  var ratePlans: [String: RatePlan] = [:]
  var signals: [Publication: GridSignal] = [:]
  var revisions: [GuidanceSeries: [RevisionNumber: GuidanceRevision]] = [:]
  var masterKeys: [MasterKey] = []

  mutating func addKey(_ hash: [UInt8], to clientID: UUID) throws(StoreError) {
    guard (keys[hash]?.clientID ?? clientID) == clientID else {
      throw .conflict(operation: "save client", reason: "the key is another client's")
    }
    keys[hash] = Key(clientID: clientID)
  }

  func access(venueID: UUID, clientID: UUID) -> VenueAccess {
    access[Pair(venueID: venueID, clientID: clientID)] ?? .none
  }

  func grant(_ venue: EnergyVenue, clientID: UUID) -> VenueGrant? {
    let access = access(venueID: venue.id, clientID: clientID)
    return access == .none ? nil : VenueGrant(venue: venue, access: access)
  }

  struct Key: Hashable {
    let clientID: UUID
    var endTime: Timestamp?
  }

  struct Pair: Hashable {
    let venueID: UUID
    let clientID: UUID
  }

  struct RevisionNumber: Hashable, Comparable {
    let issueTime: Timestamp
    let number: UInt16

    static func < (a: Self, b: Self) -> Bool { (a.issueTime, a.number) < (b.issueTime, b.number) }
  }

  /// Names a publication of a signal; ordered as `EnergyStore.signals` returns them.
  struct Publication: Hashable, Comparable {
    let key: SignalKey
    let isMeasured: Bool
    let issueTime: Timestamp

    init(_ signal: GridSignal) {
      key = signal.key
      isMeasured = signal.isMeasured
      issueTime = signal.issueTime
    }

    static func < (a: Self, b: Self) -> Bool {
      if a.issueTime != b.issueTime { return a.issueTime < b.issueTime }
      if a.key.kind != b.key.kind { return a.key.kind.rawValue < b.key.kind.rawValue }
      if a.key.model != b.key.model { return a.key.model.utf8.lexicographicallyPrecedes(b.key.model.utf8) }
      return !a.isMeasured && b.isMeasured
    }
  }
}

extension VenueAccess {
  /// Whether the client sees the venue in a listing.
  var isVisible: Bool {
    switch self {
    case .granted, .restricted: true
    case .none, .denied: false
    }
  }
}
