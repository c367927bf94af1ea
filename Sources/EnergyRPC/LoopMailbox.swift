package import GRPC
package import Storage

/// Whoever waits for what becomes of a batch.
protocol OutcomeTicket: AnyObject, Sendable {
  /// Called on the loop that handed the batch over.
  func complete(_ result: SubmissionResult)
}

/// One event loop's way to the store and back, batched both ways: what a turn of the loop judged goes out at its end,
/// and the outcomes of a commit come back in one hop.
///
/// So neither the writer nor the loop is woken for each batch, and more batches share a commit.
///
/// `@unchecked Sendable`: `outgoing` belongs to the loop, `deliver` touches nothing but the executor.
package final class LoopMailbox: SubmissionMailbox, @unchecked Sendable {
  private let executor: any CallExecutor
  private let submit: ([EventSubmission]) -> Void
  private var outgoing: [EventSubmission] = []

  package init(executor: any CallExecutor, submit: @escaping ([EventSubmission]) -> Void) {
    self.executor = executor
    self.submit = submit
  }

  /// Hands the batch over when this turn of the loop ends. On the loop only.
  func send(_ submission: EventSubmission) {
    outgoing.append(submission)
    guard outgoing.count == 1 else { return }
    executor.afterTurn { [self] in flush() }
  }

  /// Hands over what there is, without waiting for the end of the turn. On the loop only.
  func flush() {
    guard !outgoing.isEmpty else { return }
    let submissions = outgoing
    outgoing = []
    submit(submissions)
  }

  package func deliver(_ results: [SubmissionResult]) {
    executor.execute {
      for result in results { (result.submission.ticket as? any OutcomeTicket)?.complete(result) }
    }
  }
}
