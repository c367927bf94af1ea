package import EnergyModel
package import FoundationEssentials
import Locking

/// A store that forgets everything with the process: for tests and `--store memory:`.
///
/// "Durable" means stored here. It grows with what it is given.
package final class InMemoryStore: EnergyStore {
  private let events: Lock<MemoryLedger>
  private let records = Lock(MemoryRecords())
  private let writer: WorkerThread
  private let queue: SubmissionQueue

  /// - Parameter maximumPendingEventCount: Where as many wait for the writer, further batches fail with `busy`.
  package init(maximumPendingEventCount: Int = 200_000) {
    let events = Lock(MemoryLedger())
    let writer = WorkerThread()
    self.events = events
    self.writer = writer
    queue = SubmissionQueue(
      writer: writer, maximumPendingEventCount: maximumPendingEventCount, maximumCommitEventCount: 10_000
    ) { batches in
      batches.map { batch in events.withLock { $0.judge(batch) } }
    }
  }

  /// Events stored so far.
  package var eventCount: Int { events.withLock { $0.eventCount } }

  package func submit(_ submissions: [EventSubmission]) {
    queue.append(submissions)
  }

  package func leaseDailyEvents(
    _ count: Int, atLeast minimum: Int, of clientID: UUID, day: Int64, limit: Int
  ) async throws(StoreError) -> Int {
    try withRecords { records in
      let found = records.dailyEvents[clientID]
      let leased = found?.day == day ? found?.leased ?? 0 : 0
      let available = max(0, min(count, limit - leased))
      let granted = available < minimum ? 0 : available
      records.dailyEvents[clientID] = (day, leased + granted)
      return granted
    }
  }

  package func close() async {
    records.withLock { $0.isClosed = true }
    await withCheckedContinuation { continuation in
      writer.run {
        self.queue.close()
        continuation.resume()
      }
    }
  }

  private func withRecords<Value>(
    _ body: (inout MemoryRecords) throws(StoreError) -> sending Value
  ) throws(StoreError) -> sending Value {
    try records.withLock { records throws(StoreError) in
      guard !records.isClosed else { throw .closed }
      return try body(&records)
    }
  }
}

// MARK: Clients

extension InMemoryStore {
  package func keyOwner(_ keyHash: [UInt8]) async throws(StoreError) -> KeyOwner? {
    try withRecords { records in
      guard let key = records.keys[keyHash], let client = records.clients[key.clientID] else { return nil }
      return KeyOwner(client: client, endTime: key.endTime)
    }
  }

  package func client(id: UUID) async throws(StoreError) -> Client? {
    try withRecords { $0.clients[id] }
  }

  package func clients(after: NameCursor?, limit: Int) async throws(StoreError) -> [Client] {
    try withRecords { Array($0.clients.values).page(after: after, limit: limit) { ($0.name, $0.id) } }
  }

  package func save(_ client: Client, keyHash: [UInt8]?) async throws(StoreError) {
    try withRecords { records throws(StoreError) in
      if let keyHash { try records.addKey(keyHash, to: client.id) }
      records.clients[client.id] = client
    }
  }

  package func replaceKeys(
    of clientID: UUID, by keyHash: [UInt8], othersEnd: Timestamp, now: Timestamp
  ) async throws(StoreError) {
    try withRecords { records throws(StoreError) in
      guard records.clients[clientID] != nil else {
        throw .conflict(operation: "replace keys", reason: "no such client")
      }
      let others = records.keys.filter { $1.clientID == clientID && $0 != keyHash }
      try records.addKey(keyHash, to: clientID)
      for (hash, key) in others {
        let end = min(key.endTime ?? othersEnd, othersEnd)
        records.keys[hash] = end <= now ? nil : MemoryRecords.Key(clientID: clientID, endTime: end)
      }
    }
  }

  package func deleteClient(id: UUID) async throws(StoreError) -> Bool {
    try withRecords { records in
      records.keys = records.keys.filter { $1.clientID != id }
      records.access = records.access.filter { pair, _ in pair.clientID != id }
      return records.clients.removeValue(forKey: id) != nil
    }
  }
}

// MARK: Venues

extension InMemoryStore {
  package func venue(id: UUID) async throws(StoreError) -> EnergyVenue? {
    try withRecords { $0.venues[id] }
  }

  package func venue(id: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant? {
    try withRecords { records in records.venues[id].flatMap { records.grant($0, clientID: clientID) } }
  }

  package func venue(homeID: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant? {
    try withRecords { records in
      let grants = records.venues.values.filter { $0.homeID == homeID }
        .page(after: nil, limit: .max) { ($0.name, $0.id) }
        .compactMap { records.grant($0, clientID: clientID) }
      return grants.first { $0.access.isVisible } ?? grants.first
    }
  }

  package func venues(
    clientID: UUID, after: NameCursor?, limit: Int
  ) async throws(StoreError) -> [EnergyVenue] {
    try withRecords { records in
      records.venues.values.filter { records.access(venueID: $0.id, clientID: clientID).isVisible }
        .page(after: after, limit: limit) { ($0.name, $0.id) }
    }
  }

  package func venues(after: NameCursor?, limit: Int) async throws(StoreError) -> [EnergyVenue] {
    try withRecords { Array($0.venues.values).page(after: after, limit: limit) { ($0.name, $0.id) } }
  }

  package func save(_ venue: EnergyVenue) async throws(StoreError) {
    try withRecords { $0.venues[venue.id] = venue }
  }

  package func deleteVenue(id: UUID) async throws(StoreError) -> Bool {
    try withRecords { records in
      records.access = records.access.filter { pair, _ in pair.venueID != id }
      guard records.venues.removeValue(forKey: id) != nil else { return false }
      records.venuesToErase.insert(id)
      return true
    }
  }

  package func venueAccess(
    venueID: UUID?, clientID: UUID?, after: AccessCursor?, limit: Int
  ) async throws(StoreError) -> [VenueAccessEntry] {
    try withRecords { records in
      let entries = records.access.compactMap { pair, access -> VenueAccessEntry? in
        guard access != .none, venueID ?? pair.venueID == pair.venueID, clientID ?? pair.clientID == pair.clientID
        else { return nil }
        return VenueAccessEntry(venueID: pair.venueID, clientID: pair.clientID, access: access)
      }
      return Array(
        entries.filter { entry in after.map { $0 < entry.cursor } ?? true }.sorted { $0.cursor < $1.cursor }
          .prefix(max(0, limit)))
    }
  }

  package func erase(_ erasure: EventErasure) async throws(StoreError) -> Int {
    try withRecords { _ in () }
    await queue.settled()
    let count = events.withLock { $0.erase(erasure) }
    if erasure.device == nil { records.withLock { _ = $0.venuesToErase.remove(erasure.venueID) } }
    return count
  }

  package func isErasing(venueID: UUID) async throws(StoreError) -> Bool {
    try withRecords { $0.venuesToErase.contains(venueID) }
  }

  /// An erasure is never interrupted here.
  package func finishErasures() async throws(StoreError) {}

  package func setAccess(_ access: VenueAccess, venueID: UUID, clientID: UUID) async throws(StoreError) {
    try withRecords { records throws(StoreError) in
      guard records.venues[venueID] != nil, records.clients[clientID] != nil else {
        throw .conflict(operation: "set access", reason: "no such venue or client")
      }
      records.access[MemoryRecords.Pair(venueID: venueID, clientID: clientID)] = access
    }
  }
}

// MARK: Grid and guidance

extension InMemoryStore {
  package func ratePlans() async throws(StoreError) -> [RatePlan] {
    try withRecords { $0.ratePlans.values.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) } }
  }

  package func save(_ plan: RatePlan) async throws(StoreError) {
    try withRecords { $0.ratePlans[plan.id] = plan }
  }

  package func append(_ signal: GridSignal) async throws(StoreError) {
    try withRecords { $0.signals[MemoryRecords.Publication(signal)] = signal }
  }

  package func signals(gridRegion: String, since: Timestamp) async throws(StoreError) -> [GridSignal] {
    try withRecords { records in
      records.signals.values
        .filter { $0.key.gridRegion == gridRegion && $0.issueTime >= since }
        .sorted { MemoryRecords.Publication($0) < MemoryRecords.Publication($1) }
    }
  }

  package func signalRegions() async throws(StoreError) -> [String] {
    try withRecords { records in
      Set(records.signals.keys.map(\.key.gridRegion)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
  }

  package func append(_ revision: GuidanceRevision) async throws(StoreError) {
    try withRecords { records throws(StoreError) in
      let number = MemoryRecords.RevisionNumber(issueTime: revision.issueTime, number: revision.number)
      guard records.revisions[revision.series]?[number] == nil else {
        throw .conflict(operation: "append revision", reason: "its issue time and number are taken")
      }
      records.revisions[revision.series, default: [:]][number] = revision
    }
  }

  package func currentRevisions() async throws(StoreError) -> [GuidanceRevision] {
    try withRecords { $0.revisions.values.compactMap { $0.max { $0.key < $1.key }?.value } }
  }

  package func masterKeys() async throws(StoreError) -> [MasterKey] {
    try withRecords { $0.masterKeys.sorted { ($0.createTime, $0.id) > ($1.createTime, $1.id) } }
  }

  package func append(_ key: MasterKey) async throws(StoreError) {
    try withRecords { records throws(StoreError) in
      guard !records.masterKeys.contains(where: { $0.id == key.id }) else {
        throw .conflict(operation: "append master key", reason: "its id is taken")
      }
      records.masterKeys.append(key)
    }
  }

  package func removeMasterKey(id: UInt8) async throws(StoreError) {
    try withRecords { records in records.masterKeys.removeAll { $0.id == id } }
  }
}

extension Array {
  /// The first `limit` elements behind `cursor` in the order of listings.
  fileprivate func page(after cursor: NameCursor?, limit: Int, by name: (Element) -> (String, UUID)) -> [Element] {
    let keyed = map { element in
      let (name, id) = name(element)
      return (cursor: NameCursor(name: name, id: id), element: element)
    }
    return
      keyed
      .filter { entry in cursor.map { $0 < entry.cursor } ?? true }
      .sorted { $0.cursor < $1.cursor }
      .prefix(Swift.max(0, limit))
      .map(\.element)
  }
}
