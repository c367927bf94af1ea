import EnergyModel
import Glibc
import SQLiteStorage
import Storage
import StorageTestSupport

extension SubmissionOutcome {
  static func stored(_ count: Int, duplicates: Int = 0) -> SubmissionOutcome {
    .accepted(storedCount: count, duplicateCount: duplicates)
  }

  /// Whether the store, not the batch, was at fault.
  var hasFailed: Bool {
    switch self {
    case .failed: true
    case .accepted, .partlyAccepted, .refused: false
    }
  }
}

extension StoreError {
  var isFailure: Bool {
    if case .failed = self { true } else { false }
  }
}

extension Batch {
  /// A session of `count` events, its begin and end among them, that depend on `number` alone.
  static func numbered(_ number: UInt64, count: Int = 10) -> Batch {
    var random = SeededRandom(seed: number)
    let session = random.uuid()
    return Batch(
      (0..<count).map { place in
        Sample.vehicle(
          id: random.uuid(), at: Sample.noon.advanced(byMilliseconds: Int64(number) * 10), energy: Int64(place),
          state: place == 0 ? .begin : place == count - 1 ? .end : .active, session: session)
      })
  }
}

/// The number of rows, seen by a connection of its own.
func eventCount(in directory: String) throws -> Int {
  Int(try connection(to: directory).integer("SELECT count(*) FROM events"))
}

/// A connection that the store knows nothing of.
func connection(to directory: String) throws -> Connection {
  try Connection(path: directory + "/energykit.sqlite3", isWritable: true)
}

/// Puts bytes over what a file holds from `offset` on.
func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) {
  let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
  precondition(descriptor >= 0 && pwrite(descriptor, bytes, bytes.count, offset) == bytes.count)
  close(descriptor)
}

/// The error that opening the store throws.
func errorOfOpening(_ directory: String) async -> StoreError? {
  do throws(StoreError) {
    try await SQLiteStore(directory: directory).close()
    return nil
  } catch {
    return error
  }
}
