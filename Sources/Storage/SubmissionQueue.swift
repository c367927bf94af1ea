import FoundationEssentials
import Locking

/// The batches that wait for a store's writer: bounded, in order of arrival, answered through their mailboxes.
///
/// What waits is at most what the writer commits in a second, as it has lately, and shared out: a client alone may fill
/// half of it, two a third each, and the last sixth is for small batches of clients of which nothing waits
/// (docs/architecture.md, Limits).
package final class SubmissionQueue: Sendable {
  fileprivate struct State {
    var waiting: [EventSubmission] = []
    var eventCount = 0
    /// Those of `waiting` that came in by the last sixth, and their events.
    var newcomers: Set<ObjectIdentifier> = []
    var newcomerEventCount = 0
    var eventCounts: [UUID: Int] = [:]
    /// Events that may wait: what the writer commits in a second.
    var capacity: Int
    /// Batches taken and batches answered since the start, and who waits for some of them to be answered.
    var takenCount: UInt64 = 0
    var answeredCount: UInt64 = 0
    var settlements: [Settlement] = []
    /// When the commit at work began.
    var commitStart: ContinuousClock.Instant?
    /// Whether the writer has a `drain` to run. One is enough: it runs until nothing waits.
    var isDrainScheduled = false
    var isClosed = false
  }

  fileprivate struct Settlement {
    let answeredCount: UInt64
    let body: @Sendable () -> Void
  }

  private let state: Lock<State>
  private let writer: WorkerThread
  /// Delivers what is refused here, so that a mailbox is never called within the call of `append`, nor waits for a disk.
  private let refusals = WorkerThread()
  private let maximumPendingEventCount: Int
  private let maximumCommitEventCount: Int
  private let commit: @Sendable ([EventSubmission]) -> [SubmissionOutcome]

  /// - Parameters:
  ///   - maximumPendingEventCount: Where as many wait, further batches fail with `busy`.
  ///   - maximumCommitEventCount: How many events `commit` is given at once; at least one batch whatever its size.
  ///   - commit: Runs on `writer`. Makes the first few of the batches durable, one at least, and returns their outcomes.
  package init(
    writer: WorkerThread, maximumPendingEventCount: Int, maximumCommitEventCount: Int,
    commit: @escaping @Sendable ([EventSubmission]) -> [SubmissionOutcome]
  ) {
    self.writer = writer
    self.maximumPendingEventCount = maximumPendingEventCount
    state = Lock(State(capacity: min(maximumPendingEventCount, State.initialCapacity)))
    self.maximumCommitEventCount = maximumCommitEventCount
    self.commit = commit
  }

  package func append(_ submissions: [EventSubmission]) {
    let (refused, error, needsDrain) = state.withLock { state -> ([EventSubmission], StoreError, Bool) in
      guard !state.isClosed else { return (submissions, .closed, false) }
      let refused = state.append(submissions)
      guard refused.count < submissions.count, !state.isDrainScheduled else { return (refused, .busy, false) }
      state.isDrainScheduled = true
      return (refused, .busy, true)
    }
    if !refused.isEmpty { refuse(refused, error) }
    if needsDrain { writer.run { self.drain() } }
  }

  private func refuse(_ submissions: [EventSubmission], _ error: StoreError) {
    refusals.run {
      Self.deliver(submissions.map { SubmissionResult(submission: $0, outcome: .failed(error)) })
    }
  }

  /// Returns when all that waits now has been committed or has failed.
  package func settled() async {
    await withCheckedContinuation { continuation in
      let isSettled = state.withLock { state in
        guard state.answeredCount < state.takenCount else { return true }
        state.settlements.append(.init(answeredCount: state.takenCount) { continuation.resume() })
        return false
      }
      if isSettled { continuation.resume() }
    }
  }

  /// Commits and answers all that waits; what comes later fails with `closed`. Runs on the writer.
  package func close() {
    state.withLock { $0.isClosed = true }
    while commitSome() {}
  }

  /// Commits once, then lets the writer's other work have its turn before it goes on.
  private func drain() {
    if commitSome() { writer.run { self.drain() } }
  }

  /// Returns whether more waits; if not, the next `append` schedules a drain.
  private func commitSome() -> Bool {
    let (batches, waitingCount) = state.withLock { state in
      (state.front(maximumEventCount: maximumCommitEventCount), state.waiting.count)
    }
    if !batches.isEmpty {
      let start = ContinuousClock.now
      state.withLock { $0.commitStart = start }
      let outcomes = commit(batches)
      let duration = ContinuousClock.now - start
      precondition(!outcomes.isEmpty && outcomes.count <= batches.count, "a commit answers some of its batches")
      // Before the next batch is judged, on this thread, or taken.
      for case (let batch, .failed) in zip(batches, outcomes) { batch.order?.wasBroken() }
      let settled = state.withLock { state in
        state.commitStart = nil
        let eventCount = state.removeFirst(outcomes.count)
        let pace = Double(eventCount) / max(duration / .seconds(1), 1e-9)
        state.learn(pace, wasFull: outcomes.count < waitingCount, maximumEventCount: maximumPendingEventCount)
        return state.takeSettlements()
      }
      Self.deliver(zip(batches, outcomes).map { SubmissionResult(submission: $0, outcome: $1) })
      for settlement in settled { settlement.body() }
    }
    return state.withLock { state in
      state.isDrainScheduled = !state.waiting.isEmpty
      return state.isDrainScheduled
    }
  }

  /// One call per mailbox, of which there are as many as event loops.
  private static func deliver(_ results: [SubmissionResult]) {
    var rest = results
    while let mailbox = rest.first?.submission.mailbox {
      mailbox.deliver(rest.filter { $0.submission.mailbox === mailbox })
      rest.removeAll { $0.submission.mailbox === mailbox }
    }
  }
}

extension SubmissionQueue.State {
  /// Two batches of the largest kind; the first commits tell how much it should be.
  fileprivate static let initialCapacity = 20_000
  /// The least that may wait, however slow the writer is: half of it is what a stream sends before it is held.
  private static let minimumCapacity = 4_000
  /// Events of a batch that cannot hold up others.
  private static let smallBatchCount = 100
  /// A commit that takes longer says that the disk is stuck: then no more than the least may wait.
  private static let longestCommit = Duration.seconds(1)

  /// Takes what there is room for, and returns the others. Of a client that one batch is refused, so are those behind it.
  mutating func append(_ submissions: [EventSubmission]) -> [EventSubmission] {
    let isStuck = commitStart.map { ContinuousClock.now - $0 > Self.longestCommit } ?? false
    let capacity = isStuck ? min(capacity, Self.minimumCapacity) : capacity
    let reserve = isStuck ? 0 : capacity / 6
    var refused: [EventSubmission] = []
    for submission in submissions {
      let own = eventCounts[submission.clientID] ?? 0
      let others = eventCounts.count - (own > 0 ? 1 : 0)
      let hasShare =
        eventCount - newcomerEventCount < capacity - capacity / 6 && (own == 0 || own < capacity / (others + 2))
      let isNewcomer =
        !hasShare && own == 0 && submission.weight <= Self.smallBatchCount && newcomerEventCount < reserve
      guard hasShare || isNewcomer, submission.order?.isBroken != true,
        refused.isEmpty || !refused.contains(where: { $0.clientID == submission.clientID })
      else {
        submission.order?.wasBroken()
        refused.append(submission)
        continue
      }
      takenCount += 1
      waiting.append(submission)
      if isNewcomer {
        newcomers.insert(ObjectIdentifier(submission))
        newcomerEventCount += submission.weight
      }
      eventCount += submission.weight
      eventCounts[submission.clientID] = own + submission.weight
    }
    return refused
  }

  /// Learns from a commit. One that took all that waited says what the writer can do at least, not at most.
  ///
  /// - Parameter pace: Events per second.
  mutating func learn(_ pace: Double, wasFull: Bool, maximumEventCount: Int) {
    guard wasFull || pace > Double(capacity) else { return }
    let smoothed = 0.8 * Double(capacity) + 0.2 * min(pace, 1e9)
    capacity = min(maximumEventCount, max(Self.minimumCapacity, Int(smoothed)))
  }

  /// The oldest batches with at most `maximumEventCount` events together, or the oldest alone.
  func front(maximumEventCount: Int) -> [EventSubmission] {
    var count = 0
    let end = waiting.firstIndex { batch in
      defer { count += batch.weight }
      return count > 0 && count + batch.weight > maximumEventCount
    }
    return Array(waiting[..<(end ?? waiting.endIndex)])
  }

  /// Returns how many events that were.
  mutating func removeFirst(_ batchCount: Int) -> Int {
    let before = eventCount
    for batch in waiting.prefix(batchCount) {
      eventCount -= batch.weight
      if !newcomers.isEmpty, newcomers.remove(ObjectIdentifier(batch)) != nil { newcomerEventCount -= batch.weight }
      let left = (eventCounts[batch.clientID] ?? 0) - batch.weight
      eventCounts[batch.clientID] = left > 0 ? left : nil
    }
    waiting.removeFirst(batchCount)
    answeredCount += UInt64(batchCount)
    return before - eventCount
  }

  /// Those whose batches have all been answered.
  mutating func takeSettlements() -> [SubmissionQueue.Settlement] {
    guard !settlements.isEmpty else { return [] }
    let due = settlements.filter { $0.answeredCount <= answeredCount }
    settlements.removeAll { $0.answeredCount <= answeredCount }
    return due
  }
}

extension EventSubmission {
  /// What it counts for in the bounds: what it holds in memory. A batch without a well-formed event still takes a place.
  fileprivate var weight: Int { max(1, eventCount + faults.count) }
}
