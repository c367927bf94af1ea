import Dispatch
import EnergyModel
import Glibc
import Locking
import Storage
import StorageTestSupport
import Testing

@Suite struct `A queue of submissions` {
  /// A queue whose writer waits until it is let go, and that notes how many events each commit held.
  private final class Bench: Sendable {
    let writer = WorkerThread()
    let queue: SubmissionQueue
    private let gate = DispatchSemaphore(value: 0)
    private let sizes: Lock<[Int]>

    var commits: [Int] { sizes.withLock { $0 } }

    /// - Parameter answeredCount: Batches that one commit answers at most.
    init(maximumPending: Int = 1_000, maximumCommit: Int = 100, answeredCount: Int = .max) {
      let sizes = Lock<[Int]>([])
      self.sizes = sizes
      let gate = gate
      writer.run { gate.wait() }
      queue = SubmissionQueue(
        writer: writer, maximumPendingEventCount: maximumPending, maximumCommitEventCount: maximumCommit
      ) { batches in
        let answered = batches.prefix(answeredCount)
        sizes.withLock { $0.append(answered.reduce(0) { $0 + $1.eventCount }) }
        return answered.map { .stored($0.eventCount) }
      }
    }

    func letGo() { gate.signal() }
  }

  private final class Ticket: Sendable {}

  private final class ListingMailbox: SubmissionMailbox {
    private let lists = Lock<[[SubmissionOutcome]]>([])
    var deliveries: [[SubmissionOutcome]] { lists.withLock { $0 } }

    func deliver(_ results: [SubmissionResult]) {
      lists.withLock { $0.append(results.map(\.outcome)) }
    }
  }

  private func batch(of count: Int) -> Batch {
    Batch((0..<count).map { Sample.hvac(id: Sample.uuid(UInt64($0))) })
  }

  private func append(_ count: Int, to bench: Bench, for mailbox: ListingMailbox) {
    bench.queue.append([batch(of: count).submission(to: mailbox, ticket: Ticket())])
  }

  @Test func `commits all that waits at once and calls each mailbox once`() async throws {
    let bench = Bench()
    let mailboxes = [ListingMailbox(), ListingMailbox()]
    for number in 0..<40 { append(2, to: bench, for: mailboxes[number % 2]) }
    bench.letGo()
    try await bench.writer.value {}
    #expect(bench.commits == [80])
    for mailbox in mailboxes { #expect(mailbox.deliveries == [Array(repeating: .stored(2), count: 20)]) }
  }

  @Test func `keeps a commit within its bound, but for a batch that is larger by itself`() async throws {
    let bench = Bench()
    let mailbox = ListingMailbox()
    for count in [60, 40, 1, 99, 1, 250, 0, 100] { append(count, to: bench, for: mailbox) }
    bench.letGo()
    for _ in 0..<8 { try await bench.writer.value {} }
    #expect(bench.commits == [100, 100, 1, 250, 0, 100])
    #expect(mailbox.deliveries.joined().map(\.storedCount) == [60, 40, 1, 99, 1, 250, 0, 100])
  }

  @Test func `hands what a commit left unanswered to the next one, in order`() async throws {
    let bench = Bench(answeredCount: 1)
    let mailbox = ListingMailbox()
    for count in 1...5 { append(count, to: bench, for: mailbox) }
    bench.letGo()
    for _ in 0..<6 { try await bench.writer.value {} }
    #expect(mailbox.deliveries == (1...5).map { [.stored($0)] })
  }

  @Test func `answers busy while the writer is stuck, and takes batches again afterwards`() async throws {
    let bench = Bench(maximumPending: 20)
    let mailbox = ListingMailbox()
    let refused = ListingMailbox()
    for _ in 0..<2 { append(5, to: bench, for: mailbox) }
    append(1, to: bench, for: refused)
    for _ in 0..<1_000 where refused.deliveries.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    #expect(refused.deliveries == [[.failed(.busy)]])
    #expect(mailbox.deliveries.isEmpty)
    bench.letGo()
    try await bench.writer.value {}
    append(1, to: bench, for: mailbox)
    try await bench.writer.value {}
    #expect(mailbox.deliveries == [[.stored(5), .stored(5)], [.stored(1)]])
  }

  @Test func `has room for others, whatever one client sends`() async throws {
    let bench = Bench(maximumPending: 900)
    let mailboxes = (0..<3).map { _ in ListingMailbox() }
    func send(_ client: Int, _ count: Int) {
      var batch = batch(of: count)
      batch.clientID = Sample.uuid(UInt64(client))
      bench.queue.append([batch.submission(to: mailboxes[client], ticket: Ticket())])
    }
    for _ in 0..<50 { send(0, 20) }
    for _ in 0..<50 { send(1, 20) }
    send(2, 20)
    bench.letGo()
    for _ in 0..<50 { try await bench.writer.value {} }
    for _ in 0..<1_000 where mailboxes.contains(where: { $0.deliveries.isEmpty }) {
      try await Task.sleep(for: .milliseconds(1))
    }
    let stored = mailboxes.map { $0.deliveries.joined().count { $0 == .stored(20) } }
    #expect(stored == [23, 15, 1], "half of it, then a third of it, then one that is new")
  }

  @Test func `tells when all that waited has been answered, whatever came after`() async throws {
    let bench = Bench(answeredCount: 1)
    let mailbox = ListingMailbox()
    await bench.queue.settled()
    for count in 1...3 { append(count, to: bench, for: mailbox) }
    let answered = Lock<Int?>(nil)
    let waiter = Task {
      await bench.queue.settled()
      answered.withLock { $0 = mailbox.deliveries.count }
    }
    try await Task.sleep(for: .milliseconds(20))
    #expect(answered.withLock { $0 } == nil)
    bench.letGo()
    await waiter.value
    #expect(try #require(answered.withLock { $0 }) >= 3)
  }

  @Test func `lets none through that builds on one it has refused`() async throws {
    let bench = Bench(maximumPending: 20)
    let mailbox = ListingMailbox()
    let refused = ListingMailbox()
    let order = SubmissionOrder()
    append(20, to: bench, for: mailbox)
    bench.queue.append([batch(of: 1).submission(to: refused, ticket: Ticket(), order: order)])
    bench.letGo()
    for _ in 0..<2 { try await bench.writer.value {} }
    #expect(mailbox.deliveries == [[.stored(20)]])
    // There is room again, but the first is missing.
    bench.queue.append([batch(of: 1).submission(to: refused, ticket: Ticket(), order: order)])
    bench.queue.append([batch(of: 2).submission(to: mailbox, ticket: Ticket(), order: SubmissionOrder())])
    for _ in 0..<2 { try await bench.writer.value {} }
    for _ in 0..<1_000 where refused.deliveries.joined().count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(refused.deliveries.joined().count == 2)
    #expect(refused.deliveries.joined().allSatisfy { $0 == .failed(.busy) })
    #expect(mailbox.deliveries == [[.stored(20)], [.stored(2)]])
  }

  @Test func `breaks the order of a batch whose commit failed`() async throws {
    let writer = WorkerThread()
    let queue = SubmissionQueue(writer: writer, maximumPendingEventCount: 100, maximumCommitEventCount: 1) { batches in
      batches.map { $0.eventCount == 3 ? .failed(.failed(operation: "write", reason: "disk full")) : .stored(1) }
    }
    let orders = [SubmissionOrder(), SubmissionOrder()]
    let mailbox = ListingMailbox()
    queue.append([
      batch(of: 3).submission(to: mailbox, ticket: Ticket(), order: orders[0]),
      batch(of: 1).submission(to: mailbox, ticket: Ticket(), order: orders[1]),
    ])
    await queue.settled()
    #expect(orders.map(\.isBroken) == [true, false])
  }

  @Test func `has room for a small batch of another, however large those are that wait`() async throws {
    let bench = Bench(maximumPending: 900, maximumCommit: 1_000)
    let (large, small) = (ListingMailbox(), ListingMailbox())
    for client in 0..<5 as Range<UInt64> {
      var batch = batch(of: 700)
      batch.clientID = Sample.uuid(client)
      bench.queue.append([batch.submission(to: large, ticket: Ticket())])
    }
    // A sixth of 900 events: two that have room and the one that uses it up.
    for client in 10..<15 as Range<UInt64> {
      var batch = batch(of: 70)
      batch.clientID = Sample.uuid(client)
      bench.queue.append([batch.submission(to: small, ticket: Ticket())])
    }
    bench.letGo()
    await bench.queue.settled()
    for _ in 0..<1_000 where large.deliveries.joined().count < 5 || small.deliveries.joined().count < 5 {
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(large.deliveries.joined().count { $0 == .stored(700) } == 2)
    #expect(small.deliveries.joined().count { $0 == .stored(70) } == 3)
  }

  @Test func `refuses in one turn those of the client that is above its share only`() async throws {
    let bench = Bench(maximumPending: 120)
    let mailboxes = (0..<2).map { _ in ListingMailbox() }
    let submissions = [0, 0, 0, 0, 1, 0, 1].map { client in
      var batch = batch(of: 20)
      batch.clientID = Sample.uuid(UInt64(client))
      return batch.submission(to: mailboxes[client], ticket: Ticket())
    }
    bench.queue.append(submissions)
    bench.letGo()
    for _ in 0..<9 { try await bench.writer.value {} }
    for _ in 0..<1_000 where mailboxes[0].deliveries.joined().count < 5 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(mailboxes[0].deliveries.joined().count { $0 == .stored(20) } == 3)
    #expect(mailboxes[0].deliveries.joined().count { $0 == .failed(.busy) } == 2)
    #expect(mailboxes[1].deliveries.joined().map(\.storedCount) == [20, 20])
  }

  @Test func `lets no more than a second's worth wait while a commit is stuck`() async throws {
    let writer = WorkerThread()
    let begun = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let isFirst = Lock(true)
    let queue = SubmissionQueue(
      writer: writer, maximumPendingEventCount: 200_000, maximumCommitEventCount: 100
    ) { batches in
      let waits = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if waits {
        begun.signal()
        gate.wait()
      }
      return batches.map { .stored($0.eventCount) }
    }
    let mailboxes = (0..<6).map { _ in ListingMailbox() }
    // Each client's own, so that no share but the bound of all is reached.
    func append(_ count: Int, _ client: Int) {
      var batch = batch(of: count)
      batch.clientID = Sample.uuid(UInt64(client))
      queue.append([batch.submission(to: mailboxes[client], ticket: Ticket())])
    }
    append(1, 0)
    begun.wait()
    try await Task.sleep(for: .milliseconds(1_200))
    append(1_000, 1)
    append(6_000, 2)
    append(1, 5)
    #expect(await eventually { !mailboxes[5].deliveries.isEmpty })
    #expect(mailboxes[5].deliveries == [[.failed(.busy)]])
    gate.signal()
    #expect(await eventually { mailboxes[2].deliveries == [[.stored(6_000)]] })
    append(1, 5)
    #expect(await eventually { mailboxes[5].deliveries.count == 2 })
    #expect(mailboxes[5].deliveries.last == [.stored(1)])
  }

  private func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<1_000 {
      if condition() { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return condition()
  }

  @Test func `has room for what one stream sends ahead, however slow its writer is`() async throws {
    let queue = SubmissionQueue(
      writer: WorkerThread(), maximumPendingEventCount: 200_000, maximumCommitEventCount: 100
    ) { batches in
      usleep(40_000)
      return batches.map { .stored($0.eventCount) }
    }
    let mailbox = ListingMailbox()
    // As a stream does: 2,000 events of 100 each are under way.
    var sentCount = 0
    while sentCount < 60 {
      if sentCount - mailbox.deliveries.joined().count < 20 {
        append(100, to: queue, for: mailbox)
        sentCount += 1
      } else {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    await queue.settled()
    #expect(mailbox.deliveries.joined().allSatisfy { $0 == .stored(100) })
  }

  @Test func `lets wait what its writer does in a second, and a newcomer in`() async throws {
    let writer = WorkerThread()
    // 4,000 events a second.
    let queue = SubmissionQueue(
      writer: writer, maximumPendingEventCount: 200_000, maximumCommitEventCount: 200
    ) { batches in
      usleep(50_000)
      return batches.map { .stored($0.eventCount) }
    }
    let (flood, newcomer) = (ListingMailbox(), ListingMailbox())
    var sentCount = 0
    let start = ContinuousClock.now
    while ContinuousClock.now - start < .seconds(3) {
      for client in 1...4 {
        var batch = batch(of: 100)
        batch.clientID = Sample.uuid(UInt64(client))
        queue.append([batch.submission(to: flood, ticket: Ticket())])
        sentCount += 1
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    let waitingCount = sentCount - flood.deliveries.joined().count
    #expect((10...60).contains(waitingCount), "a bound of 20,000 events would be 200 batches")
    #expect(flood.deliveries.joined().contains(.failed(.busy)))
    let asked = ContinuousClock.now
    append(3, to: queue, for: newcomer)
    #expect(await eventually { !newcomer.deliveries.isEmpty })
    #expect(newcomer.deliveries == [[.stored(3)]])
    #expect(ContinuousClock.now - asked < .seconds(3))
    await queue.settled()
  }

  private func append(_ count: Int, to queue: SubmissionQueue, for mailbox: ListingMailbox) {
    var batch = batch(of: count)
    batch.clientID = Sample.uuid(99)
    queue.append([batch.submission(to: mailbox, ticket: Ticket())])
  }

  @Test func `counts a batch without a well-formed event too`() async throws {
    let bench = Bench(maximumPending: 6)
    let mailbox = ListingMailbox()
    for _ in 0..<5 { append(0, to: bench, for: mailbox) }
    bench.letGo()
    try await bench.writer.value {}
    for _ in 0..<1_000 where mailbox.deliveries.joined().count < 5 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(mailbox.deliveries.joined().count { $0 == .failed(.busy) } == 2)
  }

  @Test func `answers everything when it closes`() async throws {
    let bench = Bench()
    let mailbox = ListingMailbox()
    for _ in 0..<5 { append(100, to: bench, for: mailbox) }
    let queue = bench.queue
    let answeredCount = Lock(0)
    // Waits behind the first commit only: the others are the closing's to make.
    bench.writer.run {
      queue.close()
      answeredCount.withLock { $0 = mailbox.deliveries.joined().count }
    }
    bench.letGo()
    for _ in 0..<6 { try await bench.writer.value {} }
    #expect(answeredCount.withLock { $0 } == 5)
    #expect(mailbox.deliveries.joined().count == 5)
    append(1, to: bench, for: mailbox)
    for _ in 0..<1_000 where mailbox.deliveries.joined().count < 6 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(mailbox.deliveries.last == [.failed(.closed)])
  }
}
