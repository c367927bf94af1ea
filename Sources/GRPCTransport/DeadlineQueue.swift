/// Something that may stand in a `DeadlineQueue`.
protocol DeadlineHolder: AnyObject {
  /// Its place there, -1 where it has none; kept by the queue.
  var deadlinePlace: Int32 { get set }
}

/// The deadlines of a loop's calls, or the visits to its connections: a heap, the earliest on top. Each knows its place,
/// so that it leaves in O(log n); what comes in the order of time goes in at once.
final class DeadlineQueue<Call: DeadlineHolder> {
  private struct Entry {
    let milliseconds: UInt64
    let call: Call
  }

  private var heap: [Entry] = []

  var earliest: UInt64? { heap.first?.milliseconds }
  var count: Int { heap.count }

  func insert(_ call: Call, at milliseconds: UInt64) {
    heap.append(Entry(milliseconds: milliseconds, call: call))
    call.deadlinePlace = Int32(truncatingIfNeeded: heap.count - 1)
    rise(from: heap.count - 1)
  }

  func remove(_ call: Call) {
    guard call.deadlinePlace >= 0 else { return }
    let place = Int(call.deadlinePlace)
    call.deadlinePlace = -1
    let last = heap.removeLast()
    guard place < heap.count else { return }
    put(last, at: place)
    rise(from: place)
    sink(from: place)
  }

  /// Takes the earliest call out, if its time has come.
  func popDue(at now: UInt64) -> Call? {
    guard let first = heap.first, first.milliseconds <= now else { return nil }
    remove(first.call)
    return first.call
  }

  func removeAll() {
    for entry in heap { entry.call.deadlinePlace = -1 }
    heap = []
  }

  private func put(_ entry: Entry, at place: Int) {
    heap[place] = entry
    entry.call.deadlinePlace = Int32(truncatingIfNeeded: place)
  }

  private func rise(from start: Int) {
    var place = start
    while place > 0 {
      let parent = (place - 1) / 2
      guard heap[place].milliseconds < heap[parent].milliseconds else { return }
      exchange(place, parent)
      place = parent
    }
  }

  private func sink(from start: Int) {
    var place = start
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
        if heap[child].milliseconds < heap[least].milliseconds { least = child }
      }
      guard least != place else { return }
      exchange(place, least)
      place = least
    }
  }

  private func exchange(_ a: Int, _ b: Int) {
    let entry = heap[a]
    put(heap[b], at: a)
    put(entry, at: b)
  }
}
