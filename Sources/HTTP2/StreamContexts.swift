/// The contexts of a session's streams. nghttp2 holds the number of a place here instead of a reference, so that a
/// number gone stale can meet a wrong context at worst, never freed memory, and letting go of all is one assignment.
struct StreamContexts {
  private var places: [AnyObject?] = []
  private var free: [Int32] = []
  /// Empty DATA frames by place; as long as the last place that has had one.
  private var emptyFrames: [UInt8] = []

  var count: Int { places.count - free.count }

  mutating func insert(_ context: AnyObject) -> Int {
    if let place = free.popLast() {
      places[Int(place)] = context
      return Int(place)
    }
    places.append(context)
    return places.count - 1
  }

  subscript(place: Int) -> AnyObject? {
    places.indices.contains(place) ? places[place] : nil
  }

  /// Returns what stood there, so that it is let go of after this change and not within: its end may call out, and the
  /// session does not check that nothing comes back in (docs/decisions/0009-exclusivity-on-the-hot-path.md).
  @discardableResult
  mutating func remove(_ place: Int) -> AnyObject? {
    guard places.indices.contains(place), let context = places[place] else { return nil }
    places[place] = nil
    if place < emptyFrames.count { emptyFrames[place] = 0 }
    free.append(Int32(truncatingIfNeeded: place))
    if count == 0 { shrink() }
    return context
  }

  mutating func removeAll() -> [AnyObject] {
    let all = places.compactMap(\.self)
    places = []
    free = []
    emptyFrames = []
    return all
  }

  /// Counts an empty DATA frame of the stream with this place and returns how many it has had, 255 at most.
  mutating func countEmptyFrame(_ place: Int) -> Int {
    guard places.indices.contains(place) else { return 0 }
    if place >= emptyFrames.count {
      emptyFrames.append(contentsOf: repeatElement(0, count: place + 1 - emptyFrames.count))
    }
    if emptyFrames[place] < .max { emptyFrames[place] += 1 }
    return Int(emptyFrames[place])
  }

  var all: [AnyObject] { places.compactMap(\.self) }

  /// Gives memory back after a burst.
  private mutating func shrink() {
    guard places.count > 256 else { return }
    places = []
    free = []
    emptyFrames = []
  }
}
