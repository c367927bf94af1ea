import EnergyModel
import FoundationEssentials
import Locking
import Storage

/// A store in memory that counts what it is asked, can be made to fail and can be held up.
final class FakeStore: EnergyStore {
  struct Contents {
    var clients: [UUID: Client] = [:]
    var keyHashes: [[UInt8]: UUID] = [:]
    var venues: [UUID: EnergyVenue] = [:]
    var access: [Pair: VenueAccess] = [:]
    var plans: [String: RatePlan] = [:]
    var signals: [GridSignal] = []
    var revisions: [GuidanceRevision] = []
    var masterKeys: [MasterKey] = []
    var submissions: [EventSubmission] = []
    var questions: [String] = []
    var failure: StoreError?
    var gate: Gate?
  }

  struct Pair: Hashable {
    let client: UUID
    let venue: UUID
  }

  let contents = Lock(Contents())

  func fail(with error: StoreError?) { contents.withLock { $0.failure = error } }
  func questionCount(_ name: String) -> Int { contents.withLock { $0.questions.count { $0 == name } } }
  var submissions: [EventSubmission] { contents.withLock { $0.submissions } }
  var revisions: [GuidanceRevision] { contents.withLock { $0.revisions } }

  private func ask<Answer: Sendable>(
    _ question: String, _ body: (inout Contents) -> Answer
  ) async throws(StoreError) -> Answer {
    if let gate = contents.withLock({ $0.gate }) { await gate.wait() }
    return try contents.withLock { (contents: inout Contents) throws(StoreError) in
      contents.questions.append(question)
      if let failure = contents.failure { throw failure }
      return body(&contents)
    }
  }

  func submit(_ submission: EventSubmission) { contents.withLock { $0.submissions.append(submission) } }

  func client(keyHash: [UInt8]) async throws(StoreError) -> Client? {
    try await ask("client") { contents in contents.keyHashes[keyHash].flatMap { contents.clients[$0] } }
  }

  func client(id: UUID) async throws(StoreError) -> Client? { try await ask("clientByID") { $0.clients[id] } }

  func clients(after: NameCursor?, limit: Int) async throws(StoreError) -> [Client] {
    try await ask("clients") { page($0.clients.values, after: after, limit: limit) { ($0.name, $0.id) } }
  }

  func save(_ client: Client, keyHash: [UInt8]?) async throws(StoreError) {
    try await ask("saveClient") {
      $0.clients[client.id] = client
      if let keyHash { $0.keyHashes[keyHash] = client.id }
    }
  }

  func venue(id: UUID) async throws(StoreError) -> EnergyVenue? { try await ask("venueByID") { $0.venues[id] } }

  func venue(id: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant? {
    try await ask("grant") { grant($0.venues[id], clientID, $0) }
  }

  func venue(homeID: UUID, clientID: UUID) async throws(StoreError) -> VenueGrant? {
    try await ask("grantByHome") { contents in
      grant(contents.venues.values.first { $0.homeID == homeID }, clientID, contents)
    }
  }

  func venues(clientID: UUID, after: NameCursor?, limit: Int) async throws(StoreError) -> [EnergyVenue] {
    try await ask("venues") { contents in
      let visible = contents.venues.values.filter {
        let access = contents.access[Pair(client: clientID, venue: $0.id)] ?? .none
        return access == .granted || access == .restricted
      }
      return page(visible, after: after, limit: limit) { ($0.name, $0.id) }
    }
  }

  func venues(after: NameCursor?, limit: Int) async throws(StoreError) -> [EnergyVenue] {
    try await ask("allVenues") { page($0.venues.values, after: after, limit: limit) { ($0.name, $0.id) } }
  }

  func save(_ venue: EnergyVenue) async throws(StoreError) {
    try await ask("saveVenue") { $0.venues[venue.id] = venue }
  }

  func setAccess(_ access: VenueAccess, venueID: UUID, clientID: UUID) async throws(StoreError) {
    try await ask("setAccess") { $0.access[Pair(client: clientID, venue: venueID)] = access }
  }

  func ratePlans() async throws(StoreError) -> [RatePlan] { try await ask("plans") { Array($0.plans.values) } }
  func save(_ plan: RatePlan) async throws(StoreError) { try await ask("savePlan") { $0.plans[plan.id] = plan } }
  func append(_ signal: GridSignal) async throws(StoreError) {
    try await ask("appendSignal") { $0.signals.append(signal) }
  }

  func signals(gridRegion: String, since: Timestamp) async throws(StoreError) -> [GridSignal] {
    try await ask("signals") {
      $0.signals.filter { $0.key.gridRegion == gridRegion && $0.issueTime >= since }
        .sorted { $0.issueTime < $1.issueTime }
    }
  }

  func append(_ revision: GuidanceRevision) async throws(StoreError) {
    let isTaken = try await ask("appendRevision") { contents in
      if contents.revisions.contains(where: {
        $0.series == revision.series && $0.issueTime == revision.issueTime && $0.number == revision.number
      }) {
        return true
      }
      contents.revisions.append(revision)
      return false
    }
    if isTaken { throw .failed(operation: "append a revision", reason: "taken") }
  }

  func currentRevisions() async throws(StoreError) -> [GuidanceRevision] {
    try await ask("revisions") { contents in
      Dictionary(grouping: contents.revisions, by: \.series).values.compactMap { revisions in
        revisions.max { ($0.issueTime, $0.number) < ($1.issueTime, $1.number) }
      }
    }
  }

  func masterKeys() async throws(StoreError) -> [MasterKey] { try await ask("keys") { $0.masterKeys.reversed() } }
  func append(_ key: MasterKey) async throws(StoreError) { try await ask("appendKey") { $0.masterKeys.append(key) } }
  func close() async {}
}

private func grant(_ venue: EnergyVenue?, _ clientID: UUID, _ contents: FakeStore.Contents) -> VenueGrant? {
  guard let venue, let access = contents.access[FakeStore.Pair(client: clientID, venue: venue.id)], access != .none
  else { return nil }
  return VenueGrant(venue: venue, access: access)
}

private func page<Item>(
  _ items: some Sequence<Item>, after: NameCursor?, limit: Int, key: (Item) -> (String, UUID)
) -> [Item] {
  let sorted = items.sorted { (key($0).0, key($0).1.text) < (key($1).0, key($1).1.text) }
  let rest = sorted.drop { item in
    guard let after else { return false }
    return (key(item).0, key(item).1.text) <= (after.name, after.id.text)
  }
  return Array(rest.prefix(limit))
}

/// Holds up whoever waits until it is opened.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
