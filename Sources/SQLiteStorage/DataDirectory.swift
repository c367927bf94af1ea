import Glibc
import Storage

/// The directory that a store lives in, locked against every other process (and every other store of this one).
///
/// The lock lasts as long as the instance. What it makes only its owner can read: energy use tells when people are at
/// home (docs/architecture.md, Privacy).
final class DataDirectory: Sendable {
  let databasePath: String
  private let lock: CInt

  /// Makes the directory where it is missing, but not its parents.
  init(_ path: String) throws(StoreError) {
    let isNew = try Self.makeDirectory(path)
    databasePath = path + "/energykit.sqlite3"
    lock = try Self.lock(path + "/energykit.lock", directory: path)
    do {
      if try Self.makeFile(databasePath) { try Self.synchronise(path) }
      if isNew { try Self.synchronise(path + "/..") }
    } catch {
      Glibc.close(lock)
      throw error
    }
  }

  /// The lock ends with its descriptor. The file stays: removing it would race with the next owner.
  deinit { Glibc.close(lock) }

  private static func makeDirectory(_ path: String) throws(StoreError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST else { throw .system("mkdir", path) }
    return false
  }

  private static func lock(_ path: String, directory: String) throws(StoreError) -> CInt {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("open", path) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let error: StoreError = errno == EWOULDBLOCK ? .inUse(directory) : .system("flock", path)
      Glibc.close(descriptor)
      throw error
    }
    return descriptor
  }

  /// SQLite gives the files beside the database the database's own mode. Returns whether the file is new.
  private static func makeFile(_ path: String) throws(StoreError) -> Bool {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      Glibc.close(descriptor)
      return true
    }
    guard errno == EEXIST else { throw .system("open", path) }
    guard access(path, R_OK | W_OK) == 0 else { throw .system("access", path) }
    return false
  }

  /// Makes the names in a directory durable.
  private static func synchronise(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("open", path) }
    defer { Glibc.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system("fsync", path) }
  }
}

extension StoreError {
  /// What `errno` says of a system call on a file.
  fileprivate static func system(_ call: StaticString, _ path: String) -> StoreError {
    .failed(operation: "\(call) \(path)", reason: String(cString: strerror(errno)))
  }
}
