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

  package func append(_ submission: EventSubmission) {
    let (refusal, needsDrain) = state.withLock { state -> (StoreError?, Bool) in
      guard !state.isClosed else { return (.closed, false) }
      guard state.eventCount < maximumPendingEventCount else { return (.busy, false) }
      state.waiting.append(submission)
      state.eventCount += submission.weight
      defer { state.isDrainScheduled = true }
      return (nil, !state.isDrainScheduled)
    }
    if let refusal {
      refusals.run {
        submission.mailbox.deliver([SubmissionResult(submission: submission, outcome: .failed(refusal))])
      }
    }
    if needsDrain { writer.run { self.drain() } }
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
      deliver(zip(batches, outcomes).map { SubmissionResult(submission: $0, outcome: $1) })
    }
    return state.withLock { state in
      state.isDrainScheduled = !state.waiting.isEmpty
      return state.isDrainScheduled
    }
  }

  /// One call per mailbox.
  private func deliver(_ results: [SubmissionResult]) {
    var places: [ObjectIdentifier: Int] = [:]
    var deliveries: [(mailbox: any SubmissionMailbox, results: [SubmissionResult])] = []
    for result in results {
      let mailbox = result.submission.mailbox
      if let place = places[ObjectIdentifier(mailbox)] {
        deliveries[place].results.append(result)
      } else {
        places[ObjectIdentifier(mailbox)] = deliveries.count
        deliveries.append((mailbox, [result]))
      }
    }
    for delivery in deliveries { delivery.mailbox.deliver(delivery.results) }
  }
}

extension SubmissionQueue.State {
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
