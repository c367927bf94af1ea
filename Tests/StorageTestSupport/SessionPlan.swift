package import EnergyModel
import FoundationEssentials

/// Random sessions that keep every rule, as a few devices would send them.
package struct SessionPlan {
  /// In an order in which they may be sent, event by event.
  package let events: [LoadEvent]

  /// - Parameter deviceCount: Each has some sessions, one after the other; vehicles two at a time, one of each direction.
  package init(deviceCount: Int, sessionCount: Int, using random: inout SeededRandom) {
    var lines: [[LoadEvent]] = []
    for device in 0..<deviceCount {
      for flow in device.isMultiple(of: 3) ? [LoadFlowKind.hvac] : [.imported, .exported] {
        var time = Sample.noon.advanced(bySeconds: Int64.random(in: 0..<100, using: &random))
        var line: [LoadEvent] = []
        for _ in 0..<sessionCount {
          line += Self.session(of: "device \(device)", flow, from: &time, using: &random)
        }
        lines.append(line)
      }
    }
    var events: [LoadEvent] = []
    while !lines.isEmpty {
      let place = Int.random(in: lines.indices, using: &random)
      events.append(lines[place].removeFirst())
      if lines[place].isEmpty { lines.remove(at: place) }
    }
    self.events = events
  }

  private enum LoadFlowKind { case hvac, imported, exported }

  /// Some have no end: the next begin ends them.
  private static func session(
    of device: String, _ flow: LoadFlowKind, from time: inout Timestamp, using random: inout SeededRandom
  ) -> [LoadEvent] {
    let id = random.uuid()
    let count = Int.random(in: 1...8, using: &random)
    let hasEnd = count > 1 && Bool.random(using: &random)
    var energy: Int64 = 0
    return (0..<count).map { place in
      let state: SessionState = place == 0 ? .begin : place == count - 1 && hasEnd ? .end : .active
      if place > 0 { energy += Int64.random(in: 0...3, using: &random) * 1_000 }
      time = time.advanced(bySeconds: Int64.random(in: 0...90, using: &random))
      switch flow {
      case .hvac:
        return Sample.hvac(id: random.uuid(), at: time, state: state, session: id, device: device)
      case .imported, .exported:
        return Sample.vehicle(
          id: random.uuid(), at: time, energy: energy, state: state, session: id, device: device,
          direction: flow == .imported ? .imported : .exported)
      }
    }
  }

  /// The events in batches, cut anywhere, some sent again, also late.
  package func batches(using random: inout SeededRandom) -> [Batch] {
    var rest = events[...]
    var batches: [Batch] = []
    while !rest.isEmpty {
      let cut = Array(rest.prefix(Int.random(in: 1...20, using: &random)))
      rest = rest.dropFirst(cut.count)
      var batch = Batch(cut, partial: Bool.random(using: &random))
      batches.append(batch)
      if Int.random(in: 0..<3, using: &random) == 0, let again = batches.randomElement(using: &random) {
        batch = again
        batches.append(batch)
      }
    }
    return batches
  }
}
