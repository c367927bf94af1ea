import EnergyModel
import Glibc
import Locking
import SQLiteStorage
import Storage
import StorageTestSupport
import Testing

@Suite struct `A disk that refuses` {
  @Test func `acknowledges nothing when it is full, and serves again when there is room`() async throws {
    try await withTemporaryDirectory { directory in
      var options = SQLiteStore.Options()
      options.maximumPageCount = 120
      let store = try SQLiteStore(directory: directory, options: options)
      var number: UInt64 = 0
      while number < 200, await store.outcome(of: .numbered(number, count: 50)) == .stored(50) { number += 1 }
      #expect((6..<200).contains(number))
      let full = StoreError.failed(operation: "sqlite3_step", reason: "database or disk is full")
      #expect(await store.outcome(of: .numbered(number, count: 50)) == .failed(full))
      #expect(try eventCount(in: directory) == Int(number) * 50)
      // Reading and judging go on.
      #expect(await store.outcome(of: .numbered(0, count: 50)) == .stored(0, duplicates: 50))
      #expect(try await store.venues(after: nil, limit: 1).isEmpty)

      try connection(to: directory).execute("DELETE FROM events WHERE sequence <= 200")
      #expect(await store.outcome(of: .numbered(number, count: 50)) == .stored(50))
      #expect(await store.outcome(of: .numbered(number, count: 50)) == .stored(0, duplicates: 50))
      await store.close()
      #expect(try eventCount(in: directory) == Int(number) * 50 - 150)
    }
  }

  @Test func `fails where no number is left, as damage may have it`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteStore(directory: directory)
      #expect(await store.outcome(of: .numbered(1)) == .stored(10))
      await store.close()
      try connection(to: directory).execute("UPDATE load_sessions SET number = \(Int64.max)")
      #expect(await errorOfOpening(directory)?.isFailure == true)
      try connection(to: directory).execute("UPDATE load_sessions SET number = \(Int64.max - 1)")
      let again = try SQLiteStore(directory: directory)
      #expect(await again.outcome(of: .numbered(2)).hasFailed)
      #expect(await again.outcome(of: .numbered(1)) == .stored(0, duplicates: 10))
      await again.close()
    }
  }

  @Test func `is told to whoever runs the store, where nobody submitted anything`() async throws {
    try await withTemporaryDirectory { directory in
      let failures = Lock<[StoreError]>([])
      let store = try SQLiteStore(directory: directory) { error in failures.withLock { $0.append(error) } }
      try await store.save(Sample.venue(2))
      #expect(failures.withLock { $0 }.isEmpty)
      try connection(to: directory).execute("UPDATE venues SET id = x'00'")
      await #expect(throws: StoreError.self) { try await store.venues(after: nil, limit: 10) }
      try connection(to: directory).execute("DROP TABLE venue_access")
      await #expect(throws: StoreError.self) { try await store.deleteVenue(id: Sample.uuid(2)) }
      #expect(failures.withLock { $0 }.count == 2)
      let areFailures = failures.withLock { $0.allSatisfy(\.isFailure) }
      #expect(areFailures)
      await store.close()
    }
  }

  /// In a process of its own: the limit of a file's size concerns all files of a process.
  @Test func `fails the batches of a commit that it cannot write, and no others`() async throws {
    try await withTemporaryDirectory { directory in
      await #expect(processExitsWith: .exitCode(17)) { [directory = directory as String] in
        signal(SIGXFSZ, SIG_IGN)
        let store = try SQLiteStore(directory: directory)
        let before = await store.outcome(of: .numbered(0)) == .stored(10)
        limitFileSize(to: 300_000)
        var number: UInt64 = 1
        while number < 200, await store.outcome(of: .numbered(number, count: 100)) == .stored(100) { number += 1 }
        let failed = await store.outcome(of: .numbered(number, count: 100)).hasFailed
        limitFileSize(to: rlim_t.max)
        let after = await store.outcome(of: .numbered(number, count: 100)) == .stored(100)
        await store.close()
        let count = try eventCount(in: directory)
        if before, failed, after, count == 10 + Int(number) * 100 { exit(17) }
      }
      #expect(await errorOfOpening(directory) == nil)
    }
  }
}

/// Lowers or raises the soft limit of this process.
private func limitFileSize(to byteCount: rlim_t) {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  limit.rlim_cur = min(byteCount, limit.rlim_max)
  setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
}

@Suite struct `A process that is killed` {
  /// The process notes each acknowledged batch in a file, and is killed while it works.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `has lost nothing that was acknowledged and stored nothing twice`(seed: UInt64) async throws {
    try await withTemporaryDirectory { parent in
      let directory = parent + "/data"
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [directory = directory as String, notes = parent + "/acknowledged" as String, seed = seed as UInt64] in
        let store = try SQLiteStore(directory: directory)
        try await submitUntilKilled(store, notes: notes, seed: seed)
      }
      let acknowledged = numbers(in: parent + "/acknowledged")
      #expect(Set(acknowledged).count == acknowledged.count)
      try #require(!acknowledged.isEmpty)
      let store = try SQLiteStore(directory: directory)
      for number in acknowledged {
        #expect(await store.outcome(of: .numbered(number)) == .stored(0, duplicates: 10))
      }
      // What was not acknowledged is there whole or not at all.
      let last = (acknowledged.max() ?? 0) + 300
      for number in 0...last where !acknowledged.contains(number) {
        let outcome = await store.outcome(of: .numbered(number))
        #expect(outcome == .stored(10) || outcome == .stored(0, duplicates: 10))
      }
      await store.close()
      #expect(try eventCount(in: directory) == Int(last + 1) * 10)
    }
  }
}

private func submitUntilKilled(_ store: SQLiteStore, notes: String, seed: UInt64) async throws {
  let file = open(notes, O_WRONLY | O_CREAT | O_APPEND, 0o600)
  let mailbox = TestMailbox()
  let next = Lock<UInt64>(0)
  var random = SeededRandom(seed: seed)
  let acknowledgedCount = UInt64.random(in: 20...400, using: &random)
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<64 {
      group.addTask {
        for _ in 0..<10_000 {
          let number = next.withLock { next in
            defer { next += 1 }
            return next
          }
          guard await mailbox.outcome(of: .numbered(number), in: store) == .stored(10) else { return }
          withUnsafeBytes(of: number) { _ = write(file, $0.baseAddress, $0.count) }
          if number >= acknowledgedCount { kill(getpid(), SIGKILL) }
        }
      }
    }
  }
}

/// The numbers that a process noted, 8 bytes each.
private func numbers(in path: String) -> [UInt64] {
  let file = open(path, O_RDONLY)
  guard file >= 0 else { return [] }
  defer { close(file) }
  var numbers: [UInt64] = []
  var number: UInt64 = 0
  while read(file, &number, 8) == 8 { numbers.append(number) }
  return numbers
}
