/// A bounded dictionary that forgets what has not been asked for longest, in two generations: what is asked for moves
/// to the young one; when that holds half of the capacity it becomes the old one, and the old one is forgotten.
/// Constant time, no list to keep.
struct TwoGenerationCache<Key: Hashable, Value> {
  private var young: [Key: Value] = [:]
  private var old: [Key: Value] = [:]
  private let generationCapacity: Int

  /// `capacity` is the most it ever holds, at least 2.
  init(capacity: Int) {
    generationCapacity = max(1, capacity / 2)
  }

  /// At most the capacity; a value in both generations cannot be.
  var count: Int { young.count + old.count }

  mutating func value(for key: Key) -> Value? {
    if let value = young[key] { return value }
    guard let value = old.removeValue(forKey: key) else { return nil }
    insert(value, for: key)
    return value
  }

  mutating func insert(_ value: Value, for key: Key) {
    old[key] = nil
    if young[key] == nil, young.count >= generationCapacity {
      old = young
      young = [:]
    }
    young[key] = value
  }

  mutating func removeValue(for key: Key) {
    young[key] = nil
    old[key] = nil
  }

  mutating func removeAll(where isDue: (Key, Value) -> Bool) {
    young = young.filter { !isDue($0.key, $0.value) }
    old = old.filter { !isDue($0.key, $0.value) }
  }
}
