import EnergyModel
import FoundationEssentials

/// All events of all clients, as the batches in which they were stored.
///
/// Events stay where the request's decoder put them: a batch is kept by reference, and a table of places finds them.
struct MemoryLedger: EventLedger {
  fileprivate struct Batch {
    let clientID: UUID
    let venueID: UUID
    let loadEvents: [EventSubmission.Indexed<LoadEvent>]
    let statusEvents: [EventSubmission.Indexed<ElectricVehicleStatusEvent>]
  }

  /// Each has a stored event, but the last one while it is judged. Of a batch that was stored in part, the other events
  /// stay as well, without a place in the table.
  private var batches: [Batch] = []
  private var places = EventPlaceTable()
  /// Of the batch in judgement: its load events' seats, then its status events'.
  private var seats: [EventPlaceTable.Seat] = []
  let sessions: SessionBook

  init(sessions: SessionBook = SessionBook(maximumCount: nil)) {
    self.sessions = sessions
  }

  var eventCount: Int { places.count }

  /// Never `failed`: memory either suffices or the process ends.
  mutating func judge(_ submission: EventSubmission) -> SubmissionOutcome {
    let earlierCount = eventCount
    batches.append(
      Batch(
        clientID: submission.clientID, venueID: submission.venueID, loadEvents: submission.loadEvents,
        statusEvents: submission.statusEvents))
    defer { if eventCount == earlierCount { batches.removeLast() } }
    findSeats(of: submission)
    do {
      return try SubmissionJudge.judge(submission, in: &self)
    } catch {
      return .failed(error)
    }
  }

  private mutating func findSeats(of submission: EventSubmission) {
    places.reserve(submission.eventCount)
    seats.removeAll(keepingCapacity: true)
    for index in submission.loadEvents.indices { seats.append(places.seat(of: submission.identity(at: .load(index)))) }
    for index in submission.statusEvents.indices {
      seats.append(places.seat(of: submission.identity(at: .vehicleStatus(index))))
    }
  }

  mutating func insert(_ offset: EventOffset, of submission: EventSubmission) -> IdentityVerdict {
    let place = EventPlace(batch: batches.count - 1, offset: offset)
    let seat =
      switch offset {
      case .load(let index): seats[index]
      case .vehicleStatus(let index): seats[submission.loadEvents.count + index]
      }
    let batches = batches
    let earlier = places.insert(place, at: seat) { batches.identity(at: $0) == submission.identity(at: offset) }
    guard let earlier else { return .new }
    return batches.event(at: earlier) == submission.event(at: offset) ? .sameContent : .otherContent
  }

  func verdict(on offset: EventOffset, of submission: EventSubmission) -> IdentityVerdict {
    let identity = submission.identity(at: offset)
    let place = places.place(of: identity) { batches.identity(at: $0) == identity }
    guard let place else { return .new }
    return batches.event(at: place) == submission.event(at: offset) ? .sameContent : .otherContent
  }

  /// They are the last of those that the batch in judgement has in the table.
  mutating func removeNewest(_ count: Int) {
    guard let batch = batches.last else { return }
    let offsets =
      batch.loadEvents.indices.map(EventOffset.load) + batch.statusEvents.indices.map(EventOffset.vehicleStatus)
    let end = eventCount - count
    for offset in offsets.reversed() where eventCount > end {
      let place = EventPlace(batch: batches.count - 1, offset: offset)
      places.remove(batches.identity(at: place)) { $0 == place }
    }
  }

  /// Builds the ledger anew without the events that are to go; returns how many those were.
  mutating func erase(_ erasure: EventErasure) -> Int {
    let earlier = self
    self = MemoryLedger(sessions: earlier.sessions)
    sessions.forget(erasure)
    for index in earlier.batches.indices { keep(earlier.stored(index), without: erasure) }
    return earlier.eventCount - eventCount
  }

  /// What is stored of a batch: its events that have a place.
  private func stored(_ index: Int) -> Batch {
    let batch = batches[index]
    func isStored(_ offset: EventOffset) -> Bool {
      let place = EventPlace(batch: index, offset: offset)
      return places.place(of: batches.identity(at: place)) { $0 == place } != nil
    }
    return Batch(
      clientID: batch.clientID, venueID: batch.venueID,
      loadEvents: batch.loadEvents.indices.filter { isStored(.load($0)) }.map { batch.loadEvents[$0] },
      statusEvents: batch.statusEvents.indices.filter { isStored(.vehicleStatus($0)) }.map { batch.statusEvents[$0] })
  }

  private mutating func keep(_ batch: Batch, without erasure: EventErasure) {
    func mayStay(_ deviceID: String) -> Bool {
      guard erasure.venueID == batch.venueID else { return true }
      guard let device = erasure.device else { return false }
      return device.clientID != batch.clientID || device.id != deviceID
    }
    let kept = Batch(
      clientID: batch.clientID, venueID: batch.venueID,
      loadEvents: batch.loadEvents.filter { mayStay($0.event.device.id.text) },
      statusEvents: batch.statusEvents.filter { mayStay($0.event.device.id.text) })
    guard !kept.loadEvents.isEmpty || !kept.statusEvents.isEmpty else { return }
    batches.append(kept)
    let offsets =
      kept.loadEvents.indices.map(EventOffset.load) + kept.statusEvents.indices.map(EventOffset.vehicleStatus)
    places.reserve(offsets.count)
    for offset in offsets {
      let place = EventPlace(batch: batches.count - 1, offset: offset)
      _ = places.insert(place, at: places.seat(of: batches.identity(at: place))) { _ in false }
    }
  }
}

extension MemoryLedger {
  // All there are, are in `sessions`.

  func storedSessions(of owner: EventOwner) -> StoredSessions { StoredSessions() }

  func storedSession(_ id: UUID, of owner: EventOwner) -> LoadSession? { nil }
}

extension [MemoryLedger.Batch] {
  fileprivate func event(at place: EventPlace) -> SubmittedEvent {
    switch place.offset {
    case .load(let index): .load(self[place.batch].loadEvents[index].event)
    case .vehicleStatus(let index): .vehicleStatus(self[place.batch].statusEvents[index].event)
    }
  }

  fileprivate func identity(at place: EventPlace) -> EventIdentity {
    let batch = self[place.batch]
    let (id, timestamp) =
      switch place.offset {
      case .load(let index): (batch.loadEvents[index].event.id, batch.loadEvents[index].event.timestamp)
      case .vehicleStatus(let index): (batch.statusEvents[index].event.id, batch.statusEvents[index].event.timestamp)
      }
    return EventIdentity(clientID: batch.clientID, venueID: batch.venueID, id: id, timestamp: timestamp)
  }
}
