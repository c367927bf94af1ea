import EnergyModel
import Glibc
import SQLiteStorage
import Storage
import StorageTestSupport
import Testing

@Suite struct `Opening a store` {
  @Test func `makes the directory and its files for the owner alone`() async throws {
    try await withTemporaryDirectory { parent in
      let old = umask(0)
      defer { umask(old) }
      let directory = parent + "/data"
      let store = try SQLiteStore(directory: directory)
      #expect(await store.outcome(of: .numbered(1)) == .stored(10))
      #expect(mode(of: directory) == 0o700)
      let files = names(in: directory)
      #expect(files == ["energykit.lock", "energykit.sqlite3", "energykit.sqlite3-shm", "energykit.sqlite3-wal"])
      for file in files { #expect(mode(of: directory + "/" + file) == 0o600, "\(file)") }
      await store.close()
    }
  }

  @Test func `finds again everything that was stored`() async throws {
    try await withTemporaryDirectory { directory in
      let client = Sample.client(1)
      let venue = Sample.venue(2)
      let masterKey = MasterKey(id: 9, secret: Array(0..<32), createTime: Sample.noon)
      let first = try SQLiteStore(directory: directory)
      try await first.save(client, keyHash: Array(repeating: 7, count: 32))
      try await first.save(venue)
      try await first.setAccess(.restricted, venueID: venue.id, clientID: client.id)
      try await first.append(masterKey)
      #expect(await first.outcome(of: .numbered(1)) == .stored(10))
      await first.close()

      let second = try SQLiteStore(directory: directory)
      #expect(try await second.client(keyHash: Array(repeating: 7, count: 32)) == client)
      #expect(
        try await second.venue(id: venue.id, clientID: client.id) == VenueGrant(venue: venue, access: .restricted))
      #expect(try await second.masterKeys() == [masterKey])
      #expect(await second.outcome(of: .numbered(1)) == .stored(0, duplicates: 10))
      #expect(await second.outcome(of: .numbered(2)) == .stored(10))
      await second.close()
      #expect(try eventCount(in: directory) == 20)
    }
  }

  @Test func `numbers events above those that are being erased still`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteStore(directory: directory)
      #expect(await store.outcome(of: .numbered(1)) == .stored(10))
      await store.close()
      // As a crash leaves it after the last step of an erasure: the events are gone, that they are to go is not.
      try connection(to: directory).execute(
        """
        INSERT INTO erasures (venue_id, client_id, device_id, last_sequence)
          SELECT venue_id, client_id, device_id, 10 FROM events LIMIT 1;
        DELETE FROM events;
        DELETE FROM load_sessions;
        DELETE FROM load_devices;
        """)
      let again = try SQLiteStore(directory: directory)
      #expect(await again.outcome(of: .numbered(1)) == .stored(10))
      try await again.finishErasures()
      #expect(await again.outcome(of: .numbered(1)) == .stored(0, duplicates: 10))
      await again.close()
      #expect(try eventCount(in: directory) == 10)
    }
  }

  @Test func `fails where the file's version is none`() async throws {
    try await withTemporaryDirectory { directory in
      try await SQLiteStore(directory: directory).close()
      try connection(to: directory).execute("PRAGMA user_version = -3")
      guard case .failed(_, let reason) = await errorOfOpening(directory) else {
        Issue.record("it opened")
        return
      }
      #expect(reason.contains("no schema version -3"))
    }
  }

  @Test func `is for one store at a time in this process`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteStore(directory: directory)
      #expect(await errorOfOpening(directory) == .inUse(directory))
      await store.close()
      #expect(await errorOfOpening(directory) == nil)
    }
  }

  @Test func `is for one process at a time`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteStore(directory: directory)
      await #expect(processExitsWith: .exitCode(17)) { [directory = directory as String] in
        if await errorOfOpening(directory) == .inUse(directory) { exit(17) }
      }
      await store.close()
      await #expect(processExitsWith: .exitCode(18)) { [directory = directory as String] in
        if await errorOfOpening(directory) == nil { exit(18) }
      }
    }
  }

  @Test func `is possible again once a store was dropped without closing it`() async throws {
    try await withTemporaryDirectory { directory in
      var store: SQLiteStore? = try SQLiteStore(directory: directory)
      #expect(await store?.outcome(of: .numbered(1)) == .stored(10))
      store = nil
      for _ in 0..<2_000 {
        guard await errorOfOpening(directory) != nil else { break }
        usleep(1_000)
      }
      #expect(await errorOfOpening(directory) == nil)
    }
  }

  @Test func `says what stands in its way`() async throws {
    try await withTemporaryDirectory { directory in
      let missing = await errorOfOpening(directory + "/no/data")
      #expect(missing == .failed(operation: "mkdir \(directory)/no/data", reason: "No such file or directory"))
      overwrite(directory + "/file", at: 0, with: [1])
      let file = await errorOfOpening(directory + "/file")
      #expect(file == .failed(operation: "open \(directory)/file/energykit.lock", reason: "Not a directory"))
    }
  }

  /// In a process of its own, which gives up root's right to write everywhere where it has it.
  @Test func `needs a directory that can be written`() async throws {
    try await withTemporaryDirectory { parent in
      chmod(parent, 0o555)
      await #expect(processExitsWith: .exitCode(19)) { [parent = parent as String] in
        guard geteuid() != 0 || (setgroups(0, nil) == 0 && setgid(65_534) == 0 && setuid(65_534) == 0) else { exit(1) }
        let error = await errorOfOpening(parent + "/data")
        if error == .failed(operation: "mkdir \(parent)/data", reason: "Permission denied") { exit(19) }
      }
      chmod(parent, 0o700)
    }
  }

  @Test(
    arguments: [
      (0, Array("this is not a database, whatever its name says".utf8), "file is not a database"),
      (18, [9, 9], "file is not a database"),  // a format of the future
      (100, [UInt8](repeating: 0x5a, count: 3_000), "database disk image is malformed"),
    ] as [(Int, [UInt8], String)])
  func `refuses a damaged file and leaves it alone`(offset: Int, bytes: [UInt8], reason: String) async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteStore(directory: directory)
      await store.close()
      let path = directory + "/energykit.sqlite3"
      overwrite(path, at: offset, with: bytes)
      let error = await errorOfOpening(directory)
      guard case .failed(let operation, let found)? = error else {
        Issue.record("opened, or \(String(describing: error))")
        return
      }
      #expect(operation.hasPrefix("open \(path)"))
      #expect(found == reason)
      #expect(names(in: directory).contains("energykit.sqlite3"))
    }
  }

  @Test func `refuses another program's database`() async throws {
    try await withTemporaryDirectory { directory in
      overwrite(directory + "/energykit.sqlite3", at: 0, with: [])
      try connection(to: directory).execute("CREATE TABLE songs (title TEXT)")
      guard case .failed(_, let reason)? = await errorOfOpening(directory) else {
        Issue.record("opened")
        return
      }
      #expect(reason == "the file is another program's database")
      #expect(try connection(to: directory).integer("SELECT count(*) FROM sqlite_schema") == 1)
    }
  }

  @Test func `refuses the file of a newer version`() async throws {
    try await withTemporaryDirectory { directory in
      try await SQLiteStore(directory: directory).close()
      try connection(to: directory).execute("PRAGMA user_version = 1000")
      #expect(await errorOfOpening(directory) == .newerSchema(found: 1000, supported: Schema.migrations.count))
    }
  }

  private func mode(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }
}

@Suite struct `A migration` {
  private let steps = ["CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y; INSERT INTO a VALUES (1, 2)"]

  @Test func `goes from an empty file to the newest version`() async throws {
    try await withDatabase { connection in
      try Schema.migrate(connection, with: steps)
      #expect(try connection.integer("PRAGMA user_version") == 2)
      #expect(try connection.integer("SELECT y FROM a") == 2)
      try Schema.migrate(connection, with: steps)
      #expect(try connection.integer("SELECT count(*) FROM a") == 1, "the second time there is nothing to do")
    }
  }

  @Test func `takes only the steps that are missing`() async throws {
    try await withDatabase { connection in
      try Schema.migrate(connection, with: [steps[0]])
      try connection.execute("INSERT INTO a VALUES (7)")
      try Schema.migrate(connection, with: steps)
      #expect(try connection.integer("SELECT count(*) FROM a") == 2)
    }
  }

  @Test func `that fails half-way changes nothing`() async throws {
    try await withDatabase { connection in
      try Schema.migrate(connection, with: [steps[0]])
      #expect(throws: StoreError.self) { try Schema.migrate(connection, with: steps + ["CREATE TABLE a (x)"]) }
      #expect(try connection.integer("PRAGMA user_version") == 1)
      #expect(try connection.integer("SELECT count(*) FROM pragma_table_info('a')") == 1)
      try Schema.migrate(connection, with: steps)
      #expect(try connection.integer("PRAGMA user_version") == 2)
    }
  }

  private func withDatabase(_ body: (Connection) throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      overwrite(directory + "/energykit.sqlite3", at: 0, with: [])
      try body(try connection(to: directory))
    }
  }
}
