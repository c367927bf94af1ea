import Glibc

/// The content of a file with certificates or a key, in PEM (RFC 7468), and its name for messages.
package struct PEMFile: Sendable {
  private static let byteLimit = 4 << 20

  package let name: String
  package let bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// Reads a file of 4 MiB at most.
  package init(reading path: String) throws(TLSError) {
    // Whoever opens a pipe waits for its other end, perhaps for ever.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .unusable(file: path, reason: Self.errorText()) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      let isDirectory = status.st_mode & S_IFMT == S_IFDIR
      throw .unusable(file: path, reason: isDirectory ? "Is a directory" : "is not a regular file")
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = read(file, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unusable(file: path, reason: Self.errorText()) }
      if count == 0 { break }
      bytes.append(contentsOf: piece.prefix(count))
      guard bytes.count <= Self.byteLimit else { throw .unusable(file: path, reason: "larger than 4 MiB") }
    }
    self.init(name: path, bytes: bytes)
  }

  private static func errorText() -> String { String(cString: strerror(errno)) }

  /// An error about this file.
  func unusable(_ reason: String) -> TLSError { .unusable(file: name, reason: reason) }
}
