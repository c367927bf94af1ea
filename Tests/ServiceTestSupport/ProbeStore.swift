package import EnergyModel
package import FoundationEssentials
import Locking
package import Storage

/// A store in memory that counts what it is asked, can be made to fail and can be held up.
package final class ProbeStore: EnergyStore {
  private struct Controls {
    var questions: [String] = []
    var submissions: [EventSubmission] = []
    var revisions: [GuidanceRevision] = []
    var failure: StoreError?
    var gate: Gate?
  }

  private let store = InMemoryStore()
  private let controls = Lock(Controls())

  package init() {}

  package func fail(with error: StoreError?) { controls.withLock { $0.failure = error } }
  package func hold(at gate: Gate?) { controls.withLock { $0.gate = gate } }
  package func questionCount(_ name: String) -> Int { controls.withLock { $0.questions.count { $0 == name } } }
  /// What was handed to the writer, in that order.
  package var submissions: [EventSubmission] { controls.withLock { $0.submissions } }
  /// What was made durable, in that order.
  package var revisions: [GuidanceRevision] { controls.withLock { $0.revisions } }

  private func ask<Answer: Sendable>(
    _ question: String, _ body: () async throws(StoreError) -> Answer
  ) async throws(StoreError) -> Answer {
    if let gate = controls.withLock({ $0.gate }) { await gate.wait() }
    let failure = controls.withLock { controls in
      controls.questions.append(question)
      return controls.failure
    }
    if let failure { throw failure }
    return try await body()
  }

  package func submit(_ submissions: [EventSubmission]) {
    controls.withLock { $0.submissions += submissions }
    store.submit(submissions)
  }

  package func append(_ revision: GuidanceRevision) async throws(StoreError) {
    try await ask("append revision") { () async throws(StoreError) in try await store.append(revision) }
    controls.withLock { $0.revisions.append(revision) }
  }

  package func keyOwner(_ keyHash: [UInt8]) async throws(StoreError) -> KeyOwner? {
    try await ask("keyOwner") { () async throws(StoreError) in try await store.keyOwner(keyHash) }
  }

  package func replaceKeys(
    of clientID: UUID, by keyHash: [UInt8], othersEnd: Timestamp, now: Timestamp
  ) async throws(StoreError) {
    try await ask("replaceKeys") { () async throws(StoreError) in
      try await store.replaceKeys(of: clientID, by: keyHash, othersEnd: othersEnd, now: now)
    }
  }

  package func deleteClient(id: UUID) async throws(StoreError) -> Bool {
    try await ask("deleteClient") { () async throws(StoreError) in try await store.deleteClient(id: id) }
  }

  package func deleteVenue(id: UUID) async throws(StoreError) -> Bool {
    try await ask("deleteVenue") { () async throws(StoreError) in try await store.deleteVenue(id: id) }
  }

  package func venueAccess(
    venueID: UUID?, clientID: UUID?, after: AccessCursor?, limit: Int
  ) async throws(StoreError) -> [VenueAccessEntry] {
    try await ask("venueAccess") { () async throws(StoreError) in
      try await store.venueAccess(venueID: venueID, clientID: clientID, after: after, limit: limit)
    }
  }

  package func erase(_ erasure: EventErasure) async throws(StoreError) -> Int {
    try await ask("erase") { () async throws(StoreError) in try await store.erase(erasure) }
  }

  package func removeMasterKey(id: UInt8) async throws(StoreError) {
    try await ask("removeMasterKey") { () async throws(StoreError) in try await store.removeMasterKey(id: id) }
  }

  package func isErasing(venueID: UUID) async throws(StoreError) -> Bool {
    try await ask("isErasing") { () async throws(StoreError) in try await store.isErasing(venueID: venueID) }
  }

  package func finishErasures() async throws(StoreError) {
    try await ask("finishErasures") { () async throws(StoreError) in try await store.finishErasures() }
  }

  package func client(id: UUID) async throws(StoreError) -> Client? {
    try await ask("client(id)") { () async throws(StoreError) in try await store.client(id: id) }
  }

  package func clients(after: NameCursor?, limit: Int) async throws(StoreError) -> [Client] {
    try await ask("clients(after,limit)") { () async throws(StoreError) in
      try await store.clients(after: after, limit: limit)
    }
  }

  package func save(_ client: Client, keyHash: [UInt8]?) async throws(StoreError) {
    try await ask("save(client)") { () async throws(StoreError) in try await store.save(client, keyHash: keyHash) }
  }

  package func venue(id: UUID) async throws(StoreError) -> EnergyVenue? {
    try await ask("venue(id)") { () async throws(StoreError) in try await store.venue(id: id) }
  }

  package func venue(id: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant? {
    try await ask("venue(id,clientID)") { () async throws(StoreError) in
      try await store.venue(id: id, clientID: clientID)
    }
  }

  package func venue(homeID: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant? {
    try await ask("venue(homeID,clientID)") { () async throws(StoreError) in
      try await store.venue(homeID: homeID, clientID: clientID)
    }
  }

  package func venues(clientID: UUID, after: NameCursor?, limit: Int) async throws(StoreError) -> [EnergyVenue] {
    try await ask("venues(clientID,after,limit)") { () async throws(StoreError) in
      try await store.venues(clientID: clientID, after: after, limit: limit)
    }
  }

  package func venues(after: NameCursor?, limit: Int) async throws(StoreError) -> [EnergyVenue] {
    try await ask("venues(after,limit)") { () async throws(StoreError) in
      try await store.venues(after: after, limit: limit)
    }
  }

  package func save(_ venue: EnergyVenue) async throws(StoreError) {
    try await ask("save(venue)") { () async throws(StoreError) in try await store.save(venue) }
  }

  package func setAccess(_ access: VenueAccess, venueID: UUID, clientID: UUID) async throws(StoreError) {
    try await ask("setAccess(venueID,clientID)") { () async throws(StoreError) in
      try await store.setAccess(access, venueID: venueID, clientID: clientID)
    }
  }

  package func ratePlans() async throws(StoreError) -> [RatePlan] {
    try await ask("ratePlans()") { () async throws(StoreError) in try await store.ratePlans() }
  }

  package func save(_ plan: RatePlan) async throws(StoreError) {
    try await ask("save(plan)") { () async throws(StoreError) in try await store.save(plan) }
  }

  package func append(_ signal: GridSignal) async throws(StoreError) {
    try await ask("append(signal)") { () async throws(StoreError) in try await store.append(signal) }
  }

  package func signals(gridRegion: String, since: Timestamp) async throws(StoreError) -> [GridSignal] {
    try await ask("signals(gridRegion,since)") { () async throws(StoreError) in
      try await store.signals(gridRegion: gridRegion, since: since)
    }
  }

  package func signalRegions() async throws(StoreError) -> [String] {
    try await ask("signalRegions") { () async throws(StoreError) in try await store.signalRegions() }
  }

  package func currentRevisions() async throws(StoreError) -> [GuidanceRevision] {
    try await ask("currentRevisions()") { () async throws(StoreError) in try await store.currentRevisions() }
  }

  package func masterKeys() async throws(StoreError) -> [MasterKey] {
    try await ask("masterKeys()") { () async throws(StoreError) in try await store.masterKeys() }
  }

  package func append(_ key: MasterKey) async throws(StoreError) {
    try await ask("append(key)") { () async throws(StoreError) in try await store.append(key) }
  }

  package func leaseDailyEvents(
    _ count: Int, atLeast minimum: Int, of clientID: UUID, day: Int64, limit: Int
  ) async throws(StoreError) -> Int {
    try await ask("leaseDailyEvents") { () async throws(StoreError) in
      try await store.leaseDailyEvents(count, atLeast: minimum, of: clientID, day: day, limit: limit)
    }
  }

  package func close() async { await store.close() }
}

/// Holds up whoever waits until it is opened.
package final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  package init() {}

  package func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  package func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
