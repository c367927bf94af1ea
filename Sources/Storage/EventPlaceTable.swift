import EnergyModel
import FoundationEssentials

/// Where a `MemoryLedger` keeps an event, in eight bytes.
struct EventPlace: Hashable {
  private let number: UInt32
  /// Twice the index in its list, one more for a status event.
  private let code: UInt32

  /// Both numbers fit: a batch of so many events, or so many batches, exceed any memory.
  init(batch: Int, offset: EventOffset) {
    number = UInt32(batch)
    code =
      switch offset {
      case .load(let index): UInt32(index) << 1
      case .vehicleStatus(let index): UInt32(index) << 1 | 1
      }
  }

  var batch: Int { Int(number) }

  var offset: EventOffset {
    let index = Int(code >> 1)
    return code & 1 == 0 ? .load(index) : .vehicleStatus(index)
  }
}

/// Finds an event's place by its identity: a hash table with linear probing that knows hashes and places, not events.
///
/// A slot holds the whole hash, so that neither growing nor, but for one in 2^64, a miss looks at an event.
struct EventPlaceTable {
  private struct Slot {
    var hash: UInt64
    var place: EventPlace?
  }

  private let hasher = IdentityHasher()
  /// A power of two of them, at most three quarters in use.
  private var slots: [Slot]
  private(set) var count = 0

  init() {
    slots = Array(repeating: Slot(hash: 0, place: nil), count: 1024)
  }

  /// - Parameter isMatch: Whether the event at a place has this identity. Asked where the hashes are equal.
  func place(of identity: EventIdentity, where isMatch: (EventPlace) -> Bool) -> EventPlace? {
    slots[slot(of: hasher.hash(identity), where: isMatch)].place
  }

  /// Returns the place that the identity has already, and changes nothing then.
  mutating func insert(
    _ place: EventPlace, of identity: EventIdentity, where isMatch: (EventPlace) -> Bool
  ) -> EventPlace? {
    let hash = hasher.hash(identity)
    let slot = slot(of: hash, where: isMatch)
    if let earlier = slots[slot].place { return earlier }
    slots[slot] = Slot(hash: hash, place: place)
    count += 1
    if count > slots.count / 4 * 3 { grow() }
    return nil
  }

  /// Closes the gap: what was pushed behind the removed slot moves up, so that no search ends too early.
  mutating func remove(_ identity: EventIdentity, where isMatch: (EventPlace) -> Bool) {
    var gap = slot(of: hasher.hash(identity), where: isMatch)
    guard slots[gap].place != nil else { return }
    slots[gap].place = nil
    count -= 1
    var next = following(gap)
    while slots[next].place != nil {
      if distance(from: home(of: slots[next].hash), to: next) >= distance(from: gap, to: next) {
        slots[gap] = slots[next]
        slots[next].place = nil
        gap = next
      }
      next = following(next)
    }
  }

  /// The identity's slot, or the free one where it would stand.
  private func slot(of hash: UInt64, where isMatch: (EventPlace) -> Bool) -> Int {
    var slot = home(of: hash)
    while let place = slots[slot].place, !(slots[slot].hash == hash && isMatch(place)) {
      slot = following(slot)
    }
    return slot
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(hash: 0, place: nil), count: old.count * 2)
    for entry in old where entry.place != nil {
      slots[slot(of: entry.hash, where: { _ in false })] = entry
    }
  }

  private func home(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (slots.count - 1) }

  private func following(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

  private func distance(from start: Int, to end: Int) -> Int { (end - start) & (slots.count - 1) }
}
