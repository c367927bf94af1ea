import EnergyModel
import FoundationEssentials
import Glibc
import Locking
import SQLiteStorage
import Storage

/// Durable events per second of the SQLite store: batches of 10, 256 in flight. Prints one number, as `sqlite_bare` does.
///
///     StorageBench DIRECTORY EVENTS
@main enum StorageBench {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let eventCount = Int(arguments[2]), eventCount >= 10 else {
      print("usage: StorageBench DIRECTORY EVENTS")
      exit(2)
    }
    let store = try SQLiteStore(directory: arguments[1])
    let clock = ContinuousClock()
    let load = Load(store: store, batchCount: eventCount / 10)
    let duration = await clock.measure { await load.run() }
    await store.close()
    guard load.failureCount == 0 else { exit(1) }
    print(Int(Double(eventCount) / (duration / .seconds(1))))
  }
}

/// Keeps 256 batches in flight until all are answered: each outcome sends the next batch, as an event loop would.
private final class Load: SubmissionMailbox {
  private struct State {
    var random = SplitMix(state: 1)
    var sentCount = 0
    var answeredCount = 0
    var failureCount = 0
    var finished: CheckedContinuation<Void, Never>?
  }

  private final class Ticket: Sendable {}

  private let store: SQLiteStore
  private let batchCount: Int
  private let state = Lock(State())
  private let ticket = Ticket()
  private let sender = WorkerThread()

  init(store: SQLiteStore, batchCount: Int) {
    self.store = store
    self.batchCount = batchCount
  }

  var failureCount: Int { state.withLock { $0.failureCount } }

  func run() async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.finished = continuation }
      send(256)
    }
  }

  func deliver(_ results: [SubmissionResult]) {
    let failed = results.count { $0.outcome != .accepted(storedCount: 10, duplicateCount: 0) }
    let finished = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.answeredCount += results.count
      state.failureCount += failed
      return state.answeredCount == batchCount ? state.finished : nil
    }
    finished?.resume()
    send(results.count)
  }

  private func send(_ count: Int) {
    sender.run {
      let batches = self.state.withLock { state in
        (0..<min(count, self.batchCount - state.sentCount)).map { _ in
          defer { state.sentCount += 1 }
          return self.batch(number: state.sentCount, random: &state.random)
        }
      }
      if !batches.isEmpty { self.store.submit(batches) }
    }
  }

  /// Ten events of the session of one of 10,000 venues; the events of a quarter of an hour come in any order of venues.
  private func batch(number: Int, random: inout SplitMix) -> EventSubmission {
    let start = Timestamp(seconds: 1_768_478_400)
    let venue = UInt64(number % 10_000)
    guard let device = DeviceID("charger-\(venue)") else { preconditionFailure("a valid device id") }
    let quarter = Int64(number / 2_000 * 900_000)
    let offsets = (0..<10).map { _ in quarter + Int64(random.next() % 900_000) }.sorted()
    let events = offsets.enumerated().map { place, offset in
      Indexed(
        index: place,
        event: LoadEvent(
          id: UUID(high: random.next(), low: random.next()), timestamp: start.advanced(byMilliseconds: offset),
          sessionID: UUID(high: venue, low: 3), sessionState: number < 10_000 && place == 0 ? .begin : .active,
          wasFollowingGuidance: true, guidanceToken: UUID(high: random.next(), low: random.next()),
          device: DeviceIdentity(id: device, name: nil), measurement: .electricVehicle(.sample(energy: offset))))
    }
    return EventSubmission(
      clientID: UUID(high: 1, low: 1), venueID: UUID(high: venue, low: 2), loadEvents: events, statusEvents: [],
      faults: [], faultCount: 0, allowsPartialSuccess: false, receivedAt: start, mailbox: self, ticket: ticket)
  }
}

extension ElectricVehicleMeasurement {
  fileprivate static func sample(energy: Int64) -> ElectricVehicleMeasurement {
    ElectricVehicleMeasurement(
      stateOfCharge: Percent(40) ?? .zero, direction: .imported, power: Power(milliwatts: 7_200_000) ?? .zero,
      energy: Energy(milliwattHours: energy) ?? .zero, performance: nil)
  }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
