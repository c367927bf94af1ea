internal import GRPC
package import NetworkIO

extension EventLoop: CallExecutor {
  package func afterTurn(_ work: @escaping () -> Void) { atTurnEnd(TurnEndWork(work)) }
}

private final class TurnEndWork: TurnEndObserver {
  private let work: () -> Void

  init(_ work: @escaping () -> Void) { self.work = work }

  func turnEnded() { work() }
}
