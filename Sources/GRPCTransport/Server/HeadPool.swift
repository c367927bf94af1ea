import GRPC

/// Request heads that are not in use. A connection needs one from the first byte of a header block to the last, which is
/// hardly ever longer than one read.
final class HeadPool {
  private static let maximumCount = 8

  @exclusivity(unchecked) private var free: [RequestHead] = []

  func take() -> RequestHead {
    free.popLast() ?? RequestHead()
  }

  func giveBack(_ head: RequestHead) {
    guard free.count < Self.maximumCount else { return }
    free.append(head)
  }
}
