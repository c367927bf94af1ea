import EnergyModel
import FoundationEssentials
import StorageTestSupport
import Testing

@testable import Storage

/// Compared, step by step, with a dictionary.
@Suite struct `A table of event places` {
  private struct Model {
    var table = EventPlaceTable()
    var expected: [EventIdentity: EventPlace] = [:]
    var identities: [EventPlace: EventIdentity] = [:]
    private var nextBatch = 0

    mutating func insert(_ identity: EventIdentity) {
      let place = EventPlace(batch: nextBatch, offset: nextBatch % 3 == 0 ? .vehicleStatus(7) : .load(nextBatch % 5))
      nextBatch += 1
      identities[place] = identity
      let identities = identities
      table.reserve(1)
      let earlier = table.insert(place, at: table.seat(of: identity)) { identities[$0] == identity }
      #expect(earlier == expected[identity])
      if earlier == nil { expected[identity] = place }
    }

    mutating func remove(_ identity: EventIdentity) {
      let identities = identities
      table.remove(identity) { identities[$0] == identity }
      expected[identity] = nil
    }

    func check(_ universe: [EventIdentity]) {
      #expect(table.count == expected.count)
      for identity in universe {
        #expect(table.place(of: identity) { identities[$0] == identity } == expected[identity])
      }
    }
  }

  private func identity(_ number: Int) -> EventIdentity {
    EventIdentity(
      clientID: Sample.uuid(UInt64(number % 2)), venueID: Sample.uuid(UInt64(number % 3)),
      id: Sample.uuid(UInt64(number / 2)), timestamp: Timestamp(milliseconds: Int64(number % 7)))
  }

  @Test func `finds what was put in and not taken out, also where it is nearly full`() {
    var random = SystemRandomNumberGenerator()
    let universe = (0..<1_200).map(identity)
    var model = Model()
    for round in 0..<6 {
      for identity in universe.shuffled(using: &random).prefix(700) { model.insert(identity) }
      model.check(universe)
      let removals = round % 2 == 0 ? 300 : 1_200
      for identity in universe.shuffled(using: &random).prefix(removals) { model.remove(identity) }
      model.check(universe)
    }
  }

  @Test func `keeps everything as it grows`() {
    var model = Model()
    let universe = (0..<5_000).map(identity)
    for identity in universe { model.insert(identity) }
    for identity in universe { model.insert(identity) }
    model.check(universe)
    for identity in universe { model.remove(identity) }
    model.check(universe)
  }

  @Test func `seats a batch that knows its seats beforehand, some of its identities twice`() {
    let model = Dictionary(
      uniqueKeysWithValues: (0..<900).map { (EventPlace(batch: $0, offset: .load(0)), identity($0 % 700)) })
    for size in [1, 2, 50, 900] {
      var table = EventPlaceTable()
      for start in stride(from: 0, to: 900, by: size) {
        let batch = start..<min(start + size, 900)
        table.reserve(batch.count)
        let seats = batch.map { table.seat(of: identity($0 % 700)) }
        for (number, seat) in zip(batch, seats) {
          let wanted = identity(number % 700)
          let place = EventPlace(batch: number, offset: .load(0))
          let earlier = table.insert(place, at: seat) { model[$0] == wanted }
          #expect(earlier?.batch == (number < 700 ? nil : number - 700))
        }
      }
      #expect(table.count == 700)
      for number in 0..<700 {
        #expect(table.place(of: identity(number)) { model[$0] == identity(number) }?.batch == number)
      }
    }
  }

  @Test func `tells places of a batch apart`() {
    let places = [EventOffset.load(0), .load(1), .vehicleStatus(0), .vehicleStatus(1), .load(4_000_000)].map {
      EventPlace(batch: 3, offset: $0)
    }
    #expect(Set(places).count == 5)
    #expect(places.map(\.offset) == [.load(0), .load(1), .vehicleStatus(0), .vehicleStatus(1), .load(4_000_000)])
    #expect(places.allSatisfy { $0.batch == 3 })
  }

  @Test func `hashes each part of an identity`() {
    let hasher = IdentityHasher()
    let one = EventIdentity(
      clientID: Sample.uuid(1), venueID: Sample.uuid(2), id: Sample.uuid(3), timestamp: Timestamp(milliseconds: 4))
    let others = [
      EventIdentity(clientID: Sample.uuid(9), venueID: one.venueID, id: one.id, timestamp: one.timestamp),
      EventIdentity(clientID: one.clientID, venueID: Sample.uuid(9), id: one.id, timestamp: one.timestamp),
      EventIdentity(clientID: one.clientID, venueID: one.venueID, id: Sample.uuid(9), timestamp: one.timestamp),
      EventIdentity(
        clientID: one.clientID, venueID: one.venueID, id: one.id, timestamp: Timestamp(milliseconds: 9)),
    ]
    #expect(Set(([one] + others).map(hasher.hash)).count == 5)
    #expect(IdentityHasher().hash(one) != hasher.hash(one), "another table has another key")
  }
}
