package import Storage
import Synchronization

/// A store in one directory of this machine: SQLite in WAL mode, one writer thread with group commit, some readers.
package final class SQLiteStore: EnergyStore {
  private let writer: ConnectionThread
  private let readers: [ConnectionThread]
  private let nextReader = Atomic<UInt>(0)
  let eventWriter: EventWriter
  let queue: SubmissionQueue
  private let onFailure: @Sendable (StoreError) -> Void

  /// Opens the store in `directory`, making both where they are missing; blocks meanwhile.
  ///
  /// - Parameter onFailure: Told, on any thread, of what fails afterwards, but for events: their submitter hears of it.
  /// - Throws: `inUse` where another process, or another store of this one, has the directory; `newerSchema` where a
  ///   newer version wrote it; `failed` where the directory's parent is missing, something is not writable, or the file
  ///   is not a database of ours.
  package init(
    directory path: String, options: Options = Options(), onFailure: @escaping @Sendable (StoreError) -> Void = { _ in }
  ) throws(StoreError) {
    self.onFailure = onFailure
    let directory = try DataDirectory(path)
    let opened = try Self.open(directory.databasePath, options: options)
    eventWriter = opened.eventWriter
    writer = ConnectionThread(opened.writer, in: directory)
    readers = opened.readers.map { ConnectionThread($0, in: directory) }
    let eventWriter = eventWriter
    queue = SubmissionQueue(
      writer: writer.worker, maximumPendingEventCount: options.maximumPendingEventCount,
      maximumCommitEventCount: options.maximumCommitEventCount
    ) { eventWriter.commit($0) }
  }

  package struct Options: Sendable {
    package var durability = Durability.full
    /// At least one.
    package var readerCount = 2
    /// Where as many events wait for the writer, further batches fail with `busy`.
    package var maximumPendingEventCount = 200_000
    /// A transaction is committed when it holds as many events, or after `maximumCommitDuration`, whichever comes first.
    package var maximumCommitEventCount = 10_000
    package var maximumCommitDuration = Duration.milliseconds(5)
    /// Load sessions that the writer keeps in memory, about; others are read again when they are needed.
    package var maximumSessionCount = 100_000
    /// Pages of 4 KiB that the file may have; what needs more fails. `nil`: what the disk holds.
    package var maximumPageCount: Int?

    package init() {}
  }

  package enum Durability: Sendable {
    /// What is acknowledged survives the loss of power.
    case full
    /// What is acknowledged survives the end of the process, not always the loss of power; the file stays sound.
    case normal
  }

  package func submit(_ submissions: [EventSubmission]) {
    queue.append(submissions)
  }

  package func close() async {
    for reader in readers { await reader.close() }
    await writer.close { [queue, eventWriter] in
      queue.close()
      eventWriter.close()
    }
  }

  /// Runs `body` on one of the readers' threads.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    let turn = nextReader.wrappingAdd(1, ordering: .relaxed).oldValue
    return try await noting { [readers] () async throws(StoreError) in
      try await readers[Int(turn % UInt(readers.count))].value(of: body)
    }
  }

  /// Runs `body` on the writer's thread, in a transaction of its own that is durable when this returns.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    try await noting { [writer] () async throws(StoreError) in
      try await writer.value { connection throws(StoreError) in
        try connection.transaction { () throws(StoreError) in try body(connection) }
      }
    }
  }

  private func noting<Value: Sendable>(
    _ body: @Sendable () async throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    do {
      return try await body()
    } catch {
      if case .failed = error { onFailure(error) }
      throw error
    }
  }
}

// MARK: Opening

extension SQLiteStore {
  private typealias Opened = (writer: Connection, readers: [Connection], eventWriter: EventWriter)

  private static func open(_ path: String, options: Options) throws(StoreError) -> Opened {
    do {
      let writer = try openWriter(path, options: options)
      var readers: [Connection] = []
      for _ in 0..<max(1, options.readerCount) { readers.append(try Connection(path: path, isWritable: false)) }
      let eventWriter = try EventWriter(
        writer, maximumCommitDuration: options.maximumCommitDuration, maximumSessionCount: options.maximumSessionCount)
      return (writer, readers, eventWriter)
    } catch {
      throw error.opening(path)
    }
  }

  private static func openWriter(_ path: String, options: Options) throws(StoreError) -> Connection {
    let connection = try Connection(path: path, isWritable: true)
    guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
      throw .failed(operation: "open database", reason: "the file system has no write-ahead log")
    }
    switch options.durability {
    case .full: try connection.execute("PRAGMA synchronous = FULL")
    case .normal: try connection.execute("PRAGMA synchronous = NORMAL")
    }
    try connection.execute("PRAGMA cache_size = -32768")  // KiB
    try connection.execute("PRAGMA journal_size_limit = 67108864")
    if let count = options.maximumPageCount { try connection.execute("PRAGMA max_page_count = \(count)") }
    try Schema.migrate(connection)
    return connection
  }
}

extension StoreError {
  /// The same, saying which file could not be opened.
  fileprivate func opening(_ path: String) -> StoreError {
    switch self {
    case .failed(let operation, let reason): .failed(operation: "open \(path): \(operation)", reason: reason)
    case .busy, .closed, .inUse, .newerSchema, .conflict: self
    }
  }
}
