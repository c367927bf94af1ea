import Locking

/// Set once the server has begun to leave.
final class LeavingMark: Sendable {
  private let mark = Lock(false)

  var isSet: Bool { mark.withLock { $0 } }
  func set() { mark.withLock { $0 = true } }
}
