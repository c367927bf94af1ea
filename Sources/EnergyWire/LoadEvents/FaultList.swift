internal import EnergyModel

/// Faults of a batch: the first ones kept, all counted.
struct FaultList {
  private(set) var kept: [LoadEventFault] = []
  private(set) var count = 0
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  mutating func add(
    _ reason: LoadEventFault.Reason, _ position: EventPosition?, _ field: String, _ description: String
  ) {
    count += 1
    guard kept.count < limit else { return }
    kept.append(LoadEventFault(position: position, field: field, reason: reason, description: description))
  }
}
