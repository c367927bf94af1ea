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

  /// Where an identity stands, or would stand.
  struct Seat {
    fileprivate let hash: UInt64
    fileprivate let slot: Int
  }

  /// - Parameter isMatch: Whether the event at a place has this identity. Asked where the hashes are equal.
  func place(of identity: EventIdentity, where isMatch: (EventPlace) -> Bool) -> EventPlace? {
    let hash = hasher.hash(identity)
    return slots[slot(of: hash, from: home(of: hash), where: isMatch)].place
  }

  /// The first free slot, or one of the same hash, on the way of an identity. To be asked for all of a batch before the
  /// first of them is inserted: then the processor waits for their memory at once, not for one after the other.
  func seat(of identity: EventIdentity) -> Seat {
    let hash = hasher.hash(identity)
    return Seat(hash: hash, slot: slot(of: hash, from: home(of: hash)) { _ in true })
  }

  /// Makes room for so many more, so that seats stay true while they are taken.
  mutating func reserve(_ additional: Int) {
    while (count + additional) / 3 >= slots.count / 4 { grow() }
  }

  /// Returns the place that the identity has already, and changes nothing then.
  ///
  /// - Parameter seat: The identity's, since when nothing was removed and no more inserted than was reserved.
  mutating func insert(_ place: EventPlace, at seat: Seat, where isMatch: (EventPlace) -> Bool) -> EventPlace? {
    let slot = slot(of: seat.hash, from: seat.slot, where: isMatch)
    if let earlier = slots[slot].place { return earlier }
    slots[slot] = Slot(hash: seat.hash, place: place)
    count += 1
    return nil
  }

  /// Closes the gap: what was pushed behind the removed slot moves up, so that no search ends too early.
  mutating func remove(_ identity: EventIdentity, where isMatch: (EventPlace) -> Bool) {
    let hash = hasher.hash(identity)
    var gap = slot(of: hash, from: home(of: hash), where: isMatch)
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

  /// The identity's slot, or the free one where it would stand, in the order of probing.
  private func slot(of hash: UInt64, from start: Int, where isMatch: (EventPlace) -> Bool) -> Int {
    var slot = start
    while let place = slots[slot].place, !(slots[slot].hash == hash && isMatch(place)) {
      slot = following(slot)
    }
    return slot
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(hash: 0, place: nil), count: old.count * 2)
    for entry in old where entry.place != nil {
      slots[slot(of: entry.hash, from: home(of: entry.hash), where: { _ in false })] = entry
    }
  }

  private func home(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (slots.count - 1) }

  private func following(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

  private func distance(from start: Int, to end: Int) -> Int { (end - start) & (slots.count - 1) }
}
