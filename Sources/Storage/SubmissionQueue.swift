import Locking

/// The batches that wait for a store's writer: bounded, in order of arrival, answered through their mailboxes.
package final class SubmissionQueue: Sendable {
  fileprivate struct State {
    var waiting: [EventSubmission] = []
    var eventCount = 0
    /// Whether the writer has a `drain` to run. One is enough: it runs until nothing waits.
    var isDrainScheduled = false
    var isClosed = false
  }

  private let state = Lock(State())
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
    self.maximumCommitEventCount = maximumCommitEventCount
    self.commit = commit
  }

  package func append(_ submissions: [EventSubmission]) {
    let (takenCount, refusal, needsDrain) = state.withLock { state -> (Int, StoreError, Bool) in
      guard !state.isClosed else { return (0, .closed, false) }
      let takenCount = state.append(submissions, maximumEventCount: maximumPendingEventCount)
      guard takenCount > 0, !state.isDrainScheduled else { return (takenCount, .busy, false) }
      state.isDrainScheduled = true
      return (takenCount, .busy, true)
    }
    if takenCount < submissions.count { refuse(submissions[takenCount...], refusal) }
    if needsDrain { writer.run { self.drain() } }
  }

  private func refuse(_ submissions: ArraySlice<EventSubmission>, _ error: StoreError) {
    refusals.run {
      Self.deliver(submissions.map { SubmissionResult(submission: $0, outcome: .failed(error)) })
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
    let batches = state.withLock { $0.front(maximumEventCount: maximumCommitEventCount) }
    if !batches.isEmpty {
      let outcomes = commit(batches)
      precondition(!outcomes.isEmpty && outcomes.count <= batches.count, "a commit answers some of its batches")
      state.withLock { $0.removeFirst(outcomes.count) }
      Self.deliver(zip(batches, outcomes).map { SubmissionResult(submission: $0, outcome: $1) })
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
  /// Takes batches from the front while fewer than `maximumEventCount` events wait, and returns how many.
  mutating func append(_ submissions: [EventSubmission], maximumEventCount: Int) -> Int {
    var takenCount = 0
    for submission in submissions {
      guard eventCount < maximumEventCount else { break }
      waiting.append(submission)
      eventCount += submission.weight
      takenCount += 1
    }
    return takenCount
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

  mutating func removeFirst(_ batchCount: Int) {
    for batch in waiting.prefix(batchCount) { eventCount -= batch.weight }
    waiting.removeFirst(batchCount)
  }
}

extension EventSubmission {
  /// What it counts for in the bounds: what it holds in memory. A batch without a well-formed event still takes a place.
  fileprivate var weight: Int { max(1, eventCount + faults.count) }
}
