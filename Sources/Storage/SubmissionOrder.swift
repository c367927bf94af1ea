internal import Synchronization

/// Batches of one caller that build on each other, as those of a stream: once one has failed though nothing was wrong with
/// it, those behind it fail as well. Else a session could go on, or be ended by the next, before what it lacks is sent
/// again; that would then be refused for good.
package final class SubmissionOrder: Sendable {
  private let broken = Atomic(false)

  package init() {}

  package var isBroken: Bool { broken.load(ordering: .acquiring) }

  /// A batch was not stored, and may be sent again.
  package func wasBroken() { broken.store(true, ordering: .releasing) }
}
