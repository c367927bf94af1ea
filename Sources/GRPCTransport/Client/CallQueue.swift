/// Calls that wait for a connection, in order. Those that have ended meanwhile are skipped, and thrown out when they are
/// the larger part.
struct CallQueue {
  private var calls: [ClientCall] = []
  private var first = 0
  /// Calls that wait and have not ended.
  private(set) var count = 0

  mutating func append(_ call: ClientCall) {
    calls.append(call)
    count += 1
  }

  /// For a call that has waited its time before.
  mutating func prepend(_ call: ClientCall) {
    if first > 0 {
      first -= 1
      calls[first] = call
    } else {
      calls.insert(call, at: 0)
    }
    count += 1
  }

  mutating func popFirst() -> ClientCall? {
    while first < calls.count {
      let call = calls[first]
      first += 1
      if first == calls.count {
        calls.removeAll(keepingCapacity: calls.count <= 1_024)
        first = 0
      } else if first > 1_024, first > calls.count / 2 {
        calls.removeFirst(first)
        first = 0
      }
      guard !call.hasEnded else { continue }
      count -= 1
      return call
    }
    return nil
  }

  /// One of the calls has ended where it stood.
  mutating func callEnded() {
    count -= 1
    guard calls.count - first > 2 * count + 64 else { return }
    calls = calls[first...].filter { !$0.hasEnded }
    first = 0
  }

  /// The calls that wait, in order.
  var all: [ClientCall] { calls[first...].filter { !$0.hasEnded } }
}
