import Glibc
import Synchronization

/// The file of a unix socket that this process listens on, unix(7).
final class SocketFile: Sendable {
  private let path: String
  private let device: dev_t
  private let inode: ino_t
  private let isRemoved = Atomic(false)

  private init(path: String, device: dev_t, inode: ino_t) {
    self.path = path
    self.device = device
    self.inode = inode
  }

  /// Binds and listens. A file that a dead process has left behind gives way; one that answers, or that is no socket,
  /// does not (G-027). The directory is locked meanwhile, so that two servers that start at once cannot both take the
  /// other's file for a dead one.
  ///
  /// - Parameter mode: Set before anyone can connect.
  /// - Throws: `EADDRINUSE`, `EEXIST`, and what bind(2) and chmod(2) have.
  static func listen(
    _ descriptor: CInt, on address: SocketAddress, path: String, mode: UInt32, backlog: CInt
  ) throws(NetworkError) -> SocketFile {
    let lock = DirectoryLock(of: path)
    defer { lock.release() }
    if address.withSystemAddress({ bind(descriptor, $0, $1) }) < 0 {
      guard errno == EADDRINUSE else { throw NetworkError(call: "bind", code: -errno) }
      try removeDead(path, at: address)
      try checkSystem(address.withSystemAddress { bind(descriptor, $0, $1) }, "bind")
    }
    do throws(NetworkError) {
      try checkSystem(chmod(path, mode_t(mode)), "chmod")
      try checkSystem(Glibc.listen(descriptor, backlog), "listen")
      var status = stat()
      try checkSystem(lstat(path, &status), "lstat")
      return SocketFile(path: path, device: status.st_dev, inode: status.st_ino)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Removes the file, unless another one has its place. From any thread; once, since another server may make its own
  /// there afterwards, with the same inode.
  func remove() {
    guard !isRemoved.exchange(true, ordering: .relaxed) else { return }
    var status = stat()
    guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return }
    unlink(path)
  }

  private static func removeDead(_ path: String, at address: SocketAddress) throws(NetworkError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw NetworkError(call: "bind", code: -EEXIST) }
    guard try isDead(address) else { throw NetworkError(call: "bind", code: -EADDRINUSE) }
    unlink(path)
  }

  /// Whether nobody listens at `address`. Where that cannot be told, somebody does.
  private static func isDead(_ address: SocketAddress) throws(NetworkError) -> Bool {
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let probe = try checkSystem(socket(AF_UNIX, type, 0), "socket")
    defer { close(probe) }
    let code = address.withSystemAddress { connect(probe, $0, $1) }
    return code < 0 && (errno == ECONNREFUSED || errno == ENOENT)
  }
}

/// A lock on the directory of a file, held by one process of those that ask.
///
/// Where it cannot be had (no permission to read the directory, or somebody holds it for long) the work goes on without:
/// nobody may keep a server from starting.
private struct DirectoryLock {
  private static let attempts = 100
  private static let pauseMicroseconds: UInt32 = 10_000

  private let descriptor: CInt

  init(of path: String) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    descriptor = open(slash == path.startIndex ? "/" : String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    for _ in 0..<Self.attempts where flock(descriptor, LOCK_EX | LOCK_NB) < 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { return }
      usleep(Self.pauseMicroseconds)
    }
  }

  func release() {
    if descriptor >= 0 { close(descriptor) }
  }
}
