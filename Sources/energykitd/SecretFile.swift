import Glibc
import Storage

/// Small files that only their owner may read: keys, demo.json.
enum SecretFile {
  /// The content, or `nil` where there is no such file.
  static func read(_ path: String) throws(StartError) -> String? {
    // Whoever opens a pipe waits for its other end, perhaps for ever.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if file < 0, errno == ENOENT { return nil }
    guard file >= 0 else { throw StartError("\(path): \(errorText())") }
    defer { close(file) }
    guard isRegular(file) else { throw StartError("\(path): is not a regular file") }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = Glibc.read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw StartError("\(path): \(errorText())") }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(contentsOf: chunk.prefix(count))
      guard bytes.count <= 1 << 20 else { throw StartError("\(path): larger than 1 MiB") }
    }
  }

  private static func isRegular(_ file: CInt) -> Bool {
    var status = stat()
    return fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Makes the directory where it is missing, but not its parents. Mode 0700.
  static func makeDirectory(_ path: String) throws(StartError) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw StartError("\(path): \(errorText())") }
  }

  /// Replaces the file as a whole: a crash leaves the old content or the new, never a part. Mode 0600.
  static func write(_ text: String, to path: String) throws(StartError) {
    let draft = path + ".new"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw StartError("\(draft): \(errorText())") }
    let isWritten = writeAll(Array(text.utf8), to: file) && fsync(file) == 0
    let reason = errorText()
    close(file)
    guard isWritten else { throw StartError("\(draft): \(reason)") }
    guard rename(draft, path) == 0 else { throw StartError("\(path): \(errorText())") }
  }

  private static func writeAll(_ bytes: [UInt8], to file: CInt) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func errorText() -> String { String(cString: strerror(errno)) }
}

/// Why the program cannot start, or go on: one line for standard error, exit code 1.
struct StartError: Error, Equatable {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

extension StartError {
  init(_ error: StoreError, store path: String) {
    switch error {
    case .inUse: self.init("\(path): another process uses this directory")
    case .newerSchema(let found, let supported):
      self.init("\(path): written by a newer version (schema \(found), this one knows up to \(supported))")
    case .failed(let operation, let reason), .conflict(let operation, let reason):
      self.init("\(path): \(operation): \(reason)")
    case .busy, .closed: self.init("\(path): the store cannot be opened")
    }
  }
}
