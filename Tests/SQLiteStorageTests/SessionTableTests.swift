import EnergyModel
import SQLiteStorage
import Storage
import StorageTestSupport
import Testing

@Suite struct `Sessions on disk` {
  /// The store in memory never forgets; the one on disk is closed and opened, or forgets, again and again.
  @Test(arguments: 0..<8 as Range<UInt64>, [1_000_000, 3])
  func `are judged as if the store had never been closed`(seed: UInt64, maximumSessionCount: Int) async throws {
    try await withTemporaryDirectory { directory in
      var options = SQLiteStore.Options()
      options.maximumSessionCount = maximumSessionCount
      var random = SeededRandom(seed: seed)
      let memory = InMemoryStore()
      var disk = try SQLiteStore(directory: directory, options: options)
      var batches = SessionPlan(deviceCount: 4, sessionCount: 4, using: &random).batches(using: &random)
      // Out of order, so that many are refused.
      for _ in 0..<batches.count {
        batches.swapAt(.random(in: batches.indices, using: &random), .random(in: batches.indices, using: &random))
      }
      batches += SessionPlan(deviceCount: 4, sessionCount: 4, using: &random).batches(using: &random)
      for batch in batches {
        var batch = batch
        batch.venueID = Sample.uuid(UInt64.random(in: 2...3, using: &random))
        #expect(await disk.outcome(of: batch) == memory.outcome(of: batch))
        if maximumSessionCount > 3, Int.random(in: 0..<4, using: &random) == 0 {
          await disk.close()
          disk = try SQLiteStore(directory: directory, options: options)
        }
      }
      await disk.close()
      await memory.close()
    }
  }

  /// A store of the first version, which had events only.
  @Test func `are made of the events of an older store`() async throws {
    try await withTemporaryDirectory { directory in
      let ended = Sample.uuid(500)
      let open = Sample.uuid(501)
      func event(_ number: UInt64, _ seconds: Int64, _ state: SessionState, of session: UInt64) -> LoadEvent {
        Sample.vehicle(
          id: Sample.uuid(number), at: Sample.noon.advanced(bySeconds: seconds), energy: seconds, state: state,
          session: Sample.uuid(session), device: "d\(session)")
      }
      let store = try SQLiteStore(directory: directory)
      let batch = Batch([
        event(1, 0, .begin, of: 500), event(2, 60, .end, of: 500), event(3, 0, .begin, of: 501),
        event(4, 60, .active, of: 501),
      ])
      #expect(await store.outcome(of: batch) == .stored(4))
      await store.close()
      do {
        let connection = try connection(to: directory)
        try connection.execute(
          """
          DROP TABLE erasures;
          ALTER TABLE client_keys DROP COLUMN end_time;
          ALTER TABLE venues DROP COLUMN latitude;
          ALTER TABLE venues DROP COLUMN longitude;
          DROP TABLE daily_events;
          DROP TABLE load_sessions;
          DROP TABLE load_devices;
          PRAGMA user_version = 1
          """)
      }
      let again = try SQLiteStore(directory: directory)
      #expect(await again.outcome(of: batch) == .stored(0, duplicates: 4))
      #expect(await again.outcome(of: Batch([event(5, 61, .active, of: 501)])) == .stored(1))
      #expect(await again.outcome(of: Batch([event(6, 61, .active, of: 500)])).isRefused)
      #expect(await again.outcome(of: Batch([event(7, 61, .begin, of: 501)])).isRefused)
      #expect(await again.outcome(of: Batch(status: [Sample.status(id: Sample.uuid(8), session: ended)])) == .stored(1))
      #expect(await again.outcome(of: Batch(status: [Sample.status(id: Sample.uuid(9), session: open)])) == .stored(1))
      await again.close()
      let connection = try connection(to: directory)
      #expect(try connection.integer("SELECT count(*) FROM load_sessions WHERE is_open") == 1)
      #expect(try connection.integer("SELECT count(*) FROM load_devices") == 3)
    }
  }
}

extension SubmissionOutcome {
  fileprivate var isRefused: Bool {
    if case .refused = self { return true }
    return false
  }
}
