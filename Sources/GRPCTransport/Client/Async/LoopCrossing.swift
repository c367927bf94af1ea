import NetworkIO

extension EventLoop {
  /// Runs `body` on the loop: at once where this is its thread, as it is for tasks that prefer the loop, else in its turn.
  func onLoop(_ body: @escaping @Sendable () -> Void) {
    if isCurrent { body() } else { execute(body) }
  }
}
