import Glibc

/// Standard output, as it is being read.
struct Output {
  /// Whether it is a terminal that wants colours (https://no-color.org).
  let isColoured: Bool

  init() {
    let isPlain = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
    isColoured = isatty(STDOUT_FILENO) == 1 && !isPlain && !isDumb
  }

  func line(_ text: String) throws(Problem) {
    var rest = Array((text + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EPIPE { throw .outputClosed }
      guard count >= 0 else { throw .local("standard output: \(String(cString: strerror(errno)))") }
      rest = rest.dropFirst(count)
    }
  }

  /// One line on standard error.
  static func complain(_ message: String) {
    let line = Array("energykitctl: \(message.split(separator: "\n").joined(separator: " "))\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
