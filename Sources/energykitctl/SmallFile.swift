import Glibc

/// Files that are read whole.
enum SmallFile {
  /// - Parameter path: `-` is standard input.
  static func read(_ path: String, byteLimit: Int) throws(Problem) -> [UInt8] {
    let isInput = path == "-"
    let file = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .local("\(path): \(errorText())") }
    defer { if !isInput { close(file) } }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .local("\(path): \(errorText())") }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk.prefix(count))
      guard bytes.count <= byteLimit else { throw .local("\(path): larger than \(byteLimit >> 10) KiB") }
    }
  }

  private static func errorText() -> String { String(cString: strerror(errno)) }
}
