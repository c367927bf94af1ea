/// Calls that wait for something, in order. One whose stream has closed is let go of at once or, so that this costs
/// nothing, when such are the larger part: opening and resetting streams makes no queue longer than twice the streams
/// that are open (G-145).
struct WaitingCalls {
  /// Set while a call is in the queue.
  private let mark: ServerStream.Flags
  private var calls: [ServerStream] = []
  private var first = 0
  private var goneCount = 0

  init(_ mark: ServerStream.Flags) {
    self.mark = mark
  }

  /// Calls that wait and have not closed.
  var count: Int { calls.count - first - goneCount }
  var isEmpty: Bool { count == 0 }

  /// Puts a call behind the others, unless it stands among them.
  mutating func append(_ call: ServerStream) {
    guard call.flags.isDisjoint(with: mark.union(.closed)) else { return }
    call.flags.insert(mark)
    calls.append(call)
  }

  mutating func popFirst() -> ServerStream? {
    while first < calls.count {
      let call = calls[first]
      first += 1
      let waits = call.flags.contains(mark)
      call.flags.remove(mark)
      if !waits { goneCount -= 1 }
      if count == 0 { removeAll() } else if first > 1_024, first > calls.count / 2 { compact() }
      if waits { return call }
    }
    return nil
  }

  /// The stream of `call` has closed, wherever the call stands.
  mutating func forget(_ call: ServerStream) {
    guard call.flags.contains(mark) else { return }
    call.flags.remove(mark)
    goneCount += 1
    if goneCount > count + 16 { compact() } else if count == 0 { removeAll() }
  }

  private mutating func compact() {
    calls = calls[first...].filter { $0.flags.contains(mark) }
    first = 0
    goneCount = 0
  }

  private mutating func removeAll() {
    calls.removeAll(keepingCapacity: calls.count <= 1_024)
    first = 0
    goneCount = 0
  }
}
