import EnergyModel
import SQLiteStorage
import Storage
import StorageTestSupport
import Testing

@Suite struct `Group commit` {
  @Test func `makes many batches durable with few commits and calls the mailbox once for each`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteStore(directory: directory)
      let mailbox = TestMailbox()
      await submit(2_000, to: store, through: mailbox)
      #expect(mailbox.deliveries.reduce(0, +) == 2_000)
      #expect(mailbox.deliveries.count < 500)
      await store.close()
      #expect(try eventCount(in: directory) == 2_000)
    }
  }

  @Test func `stays within its bounds`() async throws {
    try await withTemporaryDirectory { directory in
      var options = SQLiteStore.Options()
      options.maximumCommitEventCount = 7
      let store = try SQLiteStore(directory: directory, options: options)
      let mailbox = TestMailbox()
      await submit(200, to: store, through: mailbox)
      #expect(mailbox.deliveries.reduce(0, +) == 200)
      #expect(mailbox.deliveries.allSatisfy { $0 <= 7 })
      await store.close()
    }
  }

  @Test func `ends in time even if that is after each batch`() async throws {
    try await withTemporaryDirectory { directory in
      var options = SQLiteStore.Options()
      options.maximumCommitDuration = .zero
      let store = try SQLiteStore(directory: directory, options: options)
      let mailbox = TestMailbox()
      await submit(50, to: store, through: mailbox)
      #expect(mailbox.deliveries == Array(repeating: 1, count: 50))
      await store.close()
    }
  }

  @Test func `lets a refused batch fail without its neighbours, and numbers events in order of commit`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteStore(directory: directory)
      let mailbox = TestMailbox()
      let outcomes = await withTaskGroup(of: SubmissionOutcome.self) { group in
        for number in 0..<100 as Range<UInt64> {
          group.addTask {
            var batch = Batch.numbered(number, count: 3)
            if number.isMultiple(of: 2) { batch.faults = [.sample(.nonzeroAtEnd, load: 2)] }
            return await mailbox.outcome(of: batch, in: store)
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.count { $0 == .stored(3) } == 50)
      #expect(!outcomes.contains { $0.hasFailed })
      await store.close()
      let connection = try connection(to: directory)
      #expect(try connection.integer("SELECT count(*) FROM events") == 150)
      #expect(try connection.integer("SELECT max(sequence) FROM events") == 150)
    }
  }

  @Test func `goes on while others read and write`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteStore(directory: directory)
      let mailbox = TestMailbox()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 as Range<UInt64> {
          group.addTask { #expect(await mailbox.outcome(of: .numbered(number), in: store) == .stored(10)) }
          if number.isMultiple(of: 10) {
            group.addTask {
              try await store.save(Sample.venue(number))
              #expect(try await store.venue(id: Sample.uuid(number)) == Sample.venue(number))
              #expect(try await !store.venues(after: nil, limit: 5).isEmpty)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await store.venues(after: nil, limit: 100).count == 20)
      await store.close()
      #expect(try eventCount(in: directory) == 2_000)
    }
  }

  private func submit(_ count: UInt64, to store: SQLiteStore, through mailbox: TestMailbox) async {
    let (outcomes, continuation) = AsyncStream.makeStream(of: SubmissionOutcome.self)
    for number in 0..<count {
      mailbox.submit(.numbered(number, count: 1), to: store) { continuation.yield($0) }
    }
    var answered = 0
    for await outcome in outcomes {
      #expect(outcome == .stored(1))
      answered += 1
      if answered == count { break }
    }
  }
}
