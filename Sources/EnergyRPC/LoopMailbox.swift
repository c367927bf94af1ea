package import GRPC
package import Storage

/// Brings the outcomes of a commit back to one event loop, in one hop.
package final class LoopMailbox: SubmissionMailbox {
  private let executor: any CallExecutor

  package init(executor: any CallExecutor) {
    self.executor = executor
  }

  package func deliver(_ results: [SubmissionResult]) {
    executor.execute {
      for result in results { (result.submission.ticket as? any SubmissionTicket)?.complete(result) }
    }
  }
}

/// Whoever waits for an outcome; called on the loop of the mailbox that the batch was submitted with.
protocol SubmissionTicket: AnyObject, Sendable {
  func complete(_ result: SubmissionResult)
}
