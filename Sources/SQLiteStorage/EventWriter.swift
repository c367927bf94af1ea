import EnergyModel
import Storage

/// Commits batches, many in one transaction (group commit). Used on the writer's thread only.
///
/// `@unchecked Sendable`: everything but `init` runs on that thread.
final class EventWriter: @unchecked Sendable {
  private var table: EventTable?
  private let maximumCommitDuration: Duration

  /// - Parameter maximumCommitDuration: How long batches are judged and written before the transaction is committed; at
  ///   least one is.
  init(
    _ connection: Connection, maximumCommitDuration: Duration, maximumSessionCount: Int
  ) throws(StoreError) {
    self.maximumCommitDuration = maximumCommitDuration
    table = try EventTable(connection, maximumSessionCount: maximumSessionCount)
  }

  /// Makes the first few of `batches` durable, in one transaction. Where it fails they have all failed and nothing of
  /// them is stored; the next call may succeed again.
  func commit(_ batches: [EventSubmission]) -> [SubmissionOutcome] {
    guard var table else { return batches.map { _ in .failed(.closed) } }
    let deadline = ContinuousClock.now + maximumCommitDuration
    var outcomes: [SubmissionOutcome] = []
    var consideredCount = 0
    do {
      try table.connection.transaction { () throws(StoreError) in
        for batch in batches {
          consideredCount += 1
          outcomes.append(try SubmissionJudge.judge(batch, in: &table))
          if ContinuousClock.now >= deadline { break }
        }
        try table.writeSessions()
      }
      table.sessions.settle()
      return outcomes
    } catch {
      table.sessions.forgetAll()
      return Array(repeating: .failed(error), count: max(1, consideredCount))
    }
  }

  /// Sessions are read again when they are needed: something else has changed them.
  func forgetSessions() { table?.sessions.forgetAll() }

  /// Lets the connection go; later batches fail with `closed`.
  func close() {
    table = nil
  }
}
